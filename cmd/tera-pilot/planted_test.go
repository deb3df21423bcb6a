package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// planted is the key of the model, as a model or a tool might spell it.
func planted(value string) []string {
	forms := []string{value, hex.EncodeToString([]byte(value)), url.QueryEscape(value)}
	for before := range 3 {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			forms = append(forms, e.EncodeToString([]byte("abc"[:before]+value)))
		}
	}
	return forms
}

// TestAPlantedKeyIsNowhere: a key that a model puts into arguments, a path, a
// file name, a command, its stream and a commit message, that a command prints
// from its environment or a file, in clear, base64, hex and URL form, is in no
// file of ours, no export, and nothing that we print.
func TestAPlantedKeyIsNowhere(t *testing.T) {
	const value = "pl4nted/Secret+Value==x9"
	forms := planted(value)
	all := strings.Join(forms, " ")
	home := t.TempDir()
	repo, state := filepath.Join(home, "repo"), filepath.Join(home, ".tera_pilot")
	for _, dir := range []string{repo, state} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "notes.txt"), []byte(strings.Repeat(all+"\n", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	type call struct {
		Tool string         `json:"tool"`
		Args map[string]any `json:"args"`
	}
	type step struct {
		Say   string `json:"say"`
		Chunk int    `json:"chunk,omitempty"`
		Calls []call `json:"calls,omitempty"`
	}
	script, err := json.Marshal(map[string]any{"steps": []step{
		{Say: "I say " + all, Chunk: 3, Calls: []call{
			{"write_file", map[string]any{"path": "dir-" + forms[1] + "/" + forms[1] + ".txt", "content": all}},
			{"write_file", map[string]any{"path": "plain-pl4nted.txt", "content": all, value: "an argument that is none"}},
			{"read_file", map[string]any{"path": "notes.txt"}},
			{"grep", map[string]any{"pattern": "pl4nted/Secret", "path": "."}},
			{"execute_command", map[string]any{"command": "cat notes.txt; echo " + forms[0] + " " + forms[4]}},
			{"execute_command", map[string]any{"command": "env; exit 3"}},
			{"todo", map[string]any{"items": []map[string]any{{"text": all, "status": "active"}}}},
		}},
		{Say: "done, and " + value, Chunk: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	server, err := fakemodel.Start(sc, fakemodel.Options{Cwd: repo})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	bin := built(t)
	debug := filepath.Join(home, "debug.log")
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=" + value, "SOME_TOKEN=" + value}
	tell := func(args ...string) []byte {
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Env = repo, env
		out, err := cmd.CombinedOutput()
		if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
			t.Fatal(err)
		}
		return out
	}
	out := tell("run", "--json", "--no-confirm", "--model", "m", "--log", debug, "go, with "+all)
	nowhereIn(t, "what run prints", out, forms)
	if !bytes.Contains(out, []byte("done, and")) {
		t.Fatalf("the turn did not come to its end: %s", out)
	}
	for _, args := range [][]string{
		{"audit", "export", "--out", filepath.Join(state, "all.json"), "--disclose", "all"}, {"audit", "export", "--format", "jsonl", "--out", filepath.Join(state, "all.jsonl")},
		{"audit", "show"}, {"audit", "show", "--json"}, {"sessions", "list", "--json"}, {"doctor"},
	} {
		nowhereIn(t, strings.Join(args, " "), tell(args...), forms)
	}
	searched := 0
	err = filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(path, repo) || strings.HasPrefix(path, filepath.Join(state, "cache")) {
			return err
		}
		// What undo keeps are the workspace's own files, byte for byte, as the
		// workspace has them (docs/undo.md): it could not put back what it masked.
		if strings.HasPrefix(path, filepath.Join(state, "undo")) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		searched += len(b)
		nowhereIn(t, path, b, forms)
		nowhereIn(t, "the name of "+path, []byte(path), forms)
		return nil
	})
	if err != nil || searched < 20_000 {
		t.Errorf("%d bytes were searched, %v", searched, err)
	}
	if b, err := os.ReadFile(debug); err != nil || !bytes.Contains(b, []byte("call.result")) {
		t.Errorf("the file of --log: %s, %v", b, err)
	}
}

func nowhereIn(t *testing.T, where string, b []byte, forms []string) {
	t.Helper()
	for _, form := range forms {
		core := form[4 : len(form)-4]
		if i := bytes.Index(b, []byte(core)); i >= 0 {
			t.Errorf("%s holds %q: %.200q", where, core, b[max(0, i-60):])
		}
	}
}
