package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// A secret that is planted everywhere stands nowhere.
func TestAPlantedSecretIsNowhere(t *testing.T) {
	const value = "pl4nted/Secret+Value==x9"
	dir := t.TempDir()
	mask := secret.New()
	mask.Add(value)
	l := openLog(t, Options{Dir: dir, Redactor: mask})
	s, err := l.Session(t.Context(), SessionInfo{Session: value, Version: value, Host: value, User: value, Front: FrontRun, Workspace: "/w/" + value, Head: value, Level: value, Sandbox: SandboxInfo{value, value}})
	must(t, err)
	forms := []string{value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))), url.QueryEscape(value), url.PathEscape(value)}
	for before := range 3 {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, e.EncodeToString([]byte("abc"[:before]+value)))
		}
	}
	all := strings.Join(forms, " ")
	js, err := json.Marshal(map[string]string{value: all})
	must(t, err)
	in := edit("dir/" + value + ".txt")
	in.Agent, in.Tool, in.Title, in.Command, in.Reason, in.Level = value, value, all, "curl "+all, all, value
	in.Args, in.Effect, in.Inputs, in.Asked = js, js, js, &Asked{Question: value, Lines: []byte(all)}
	in.Rule, in.Taint, in.Net = &Rule{value, value, 1}, []string{value}, []string{value + ".example.org"}
	in.Sandbox = Profile{value, value}
	in.Paths = append(in.Paths, strings.Repeat(all, 500)) // into cut
	in.Paths = append(in.Paths, strings.Repeat(all, 500))
	act(t, s, in, Outcome{Status: Failed, Signal: value, Diff: value, Out: []byte(strings.Repeat(all, 3000)), Reason: all, Post: in.Pre})
	must(t, s.Event(t.Context(), Event{Kind: value, Title: all, Data: map[string]any{value: all, "list": []string{value}, "in": map[string]any{value: value}}}))
	closeSession(t, s)
	f, err := os.Create(dir + "/export.json")
	must(t, err)
	_, err = l.Export(t.Context(), SessionInfo{Front: FrontCLI}, f, ExportOptions{Disclose: []string{"all"}})
	must(t, errors.Join(err, f.Close()))
	must(t, l.Close())
	searched := 0
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		must(t, err)
		searched += len(b)
		nowhere(t, path, b, forms)
		for _, line := range bytes.Split(b, []byte("\n")) { // and inside of disclosures
			if i := bytes.Index(line, []byte(`"sd":"`)); i >= 0 {
				text, _, _ := strings.Cut(string(line[i+6:]), `"`)
				if _, v, ok := openDisclosure(text); ok {
					nowhere(t, path+" disclosed", v, forms)
				}
			}
		}
		return nil
	}))
	if searched < 10_000 {
		t.Errorf("only %d bytes were searched", searched)
	}
	wantIntact(t, verifyLive(t, dir, VerifyOptions{}))
}

func nowhere(t *testing.T, path string, b []byte, forms []string) {
	t.Helper()
	for _, form := range forms {
		if i := bytes.Index(b, []byte(form)); i >= 0 {
			t.Errorf("%s holds %q: …%s…", path, form, b[max(0, i-40):min(len(b), i+80)])
		}
		core := form[4 : len(form)-4]
		if bytes.Contains(b, []byte(core)) {
			t.Errorf("%s holds the core of %q", path, form)
		}
	}
}

func TestRedactDeletesForGood(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 3, nil))
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	_, values, err := r.Record(t.Context(), 1)
	must(t, err)
	if len(values) == 0 {
		t.Fatal("nothing to delete")
	}
	if _, err := x.l.Redact(t.Context(), SessionInfo{Front: FrontCLI}, []int64{1, x.l.Head().Size + 100}); err == nil {
		t.Error("a record that does not exist was taken")
	}
	n, err := x.l.Redact(t.Context(), SessionInfo{Front: FrontCLI}, []int64{1, 2})
	must(t, err)
	if n != len(values)+1 {
		t.Errorf("%d values deleted", n)
	}
	for seq := range int64(6) {
		_, values, err := r.Record(t.Context(), seq+1)
		must(t, err)
		if (len(values) == 0) != (seq < 2) {
			t.Errorf("record %d has %d values", seq+1, len(values))
		}
	}
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{}))
	wantIntact(t, x.verify(t, x.export(t, ExportOptions{Disclose: []string{"all"}}), VerifyOptions{}))
	if !bytes.Contains(x.layer.names[segmentName(1)].data, []byte(`"kind":"redacted"`)) {
		t.Error("no tombstone")
	}
}
