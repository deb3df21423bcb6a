package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

const (
	vaultSecret = "open-sesame-and-more"
	vaultText   = "PLANTED words of the person"
)

// A vaultHome is a home with a repository, in which the program is run.
type vaultHome struct {
	t                *testing.T
	home, repo, file string
}

func newVaultHome(t *testing.T) vaultHome {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := vaultHome{t, base, filepath.Join(base, "repo"), filepath.Join(base, "script.json")}
	if err := os.MkdirAll(filepath.Join(h.repo, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat(vaultText+" in a file\n", 4000)
	for name, text := range map[string]string{"notes.txt": big, "old.txt": vaultText + " before\n"} {
		if err := os.WriteFile(filepath.Join(h.repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// A vaultStep is what the scripted model does in one go.
type vaultStep struct {
	When  map[string]any `json:"when,omitempty"`
	Say   string         `json:"say"`
	Delay int            `json:"delay_ms,omitempty"`
	Chunk int            `json:"chunk,omitempty"`
	Calls []vaultCall    `json:"calls,omitempty"`
}

type vaultCall struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// play sets what the scripted model says next.
func (h vaultHome) play(steps ...vaultStep) {
	h.t.Helper()
	b, err := json.Marshal(map[string]any{"steps": steps})
	if err == nil {
		err = os.WriteFile(h.file, b, 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h vaultHome) command(key string, args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.Command(built(h.t), args...)
	cmd.Dir = h.repo
	cmd.Env = []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "TERA_PILOT_OS_SANDBOX=off"}
	if key != "" {
		cmd.Env = append(cmd.Env, "TERA_PILOT_SESSION_KEY="+key)
	}
	return cmd
}

// tell runs the program and holds it to an exit code.
func (h vaultHome) tell(key string, code int, args ...string) string {
	h.t.Helper()
	out, err := h.command(key, args...).CombinedOutput()
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		h.t.Fatal(err)
	}
	if got != code {
		h.t.Fatalf("%s: exit %d, not %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

func (h vaultHome) run(key string, code int, args ...string) string {
	return h.tell(key, code, append([]string{"run", "--autonomy", "new_files_only", "--script", h.file}, args...)...)
}

// nothing says where in the state folder a text is in the open.
func (h vaultHome) nothing(texts ...string) {
	h.t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(h.home, ".tera_pilot"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		n++
		for _, text := range texts {
			if bytes.Contains(b, []byte(text)) {
				h.t.Errorf("%s holds %q", path, text)
			}
		}
		return err
	})
	if err != nil || n < 8 {
		h.t.Errorf("%d files, %v", n, err)
	}
}

// session is the id of the only session.
func (h vaultHome) session(key string) string {
	h.t.Helper()
	id, _, ok := strings.Cut(h.tell(key, 0, "sessions", "list"), " ")
	if !ok {
		h.t.Fatal("no session")
	}
	return id
}

func args(format string, a ...any) json.RawMessage { return json.RawMessage(fmt.Sprintf(format, a...)) }

// TestEncryptedSessions is the whole way of a person who sets a key.
func TestEncryptedSessions(t *testing.T) {
	h := newVaultHome(t)
	h.play(
		vaultStep{Say: vaultText + " in an answer", Calls: []vaultCall{
			{Tool: "read_file", Args: args(`{"path":"notes.txt"}`)},
			{Tool: "write_file", Args: args(`{"path":"new.txt","content":%q}`, vaultText+" written\n")},
			{Tool: "read_file", Args: args(`{"path":"old.txt"}`)},
		}},
		vaultStep{Say: "done"},
	)
	h.run(vaultSecret, 0, vaultText+", do it")
	h.nothing(vaultText, vaultSecret)
	id := h.session(vaultSecret)

	for _, words := range [][]string{{"sessions", "list"}, {"sessions", "show", id}, {"sessions", "search", "planted"}, {"sessions", "export", id}, {"sessions", "export", id, "--format", "json"}} {
		if out := h.tell(vaultSecret, 0, words...); !strings.Contains(out, vaultText) {
			t.Errorf("%v: %.300s", words, out)
		}
	}
	if out := h.tell("", 0, "sessions", "list"); !strings.Contains(out, "TERA_PILOT_SESSION_KEY") {
		t.Errorf("list without the key: %s", out)
	}
	for _, words := range [][]string{{"sessions", "show", id}, {"run", "--script", h.file, "x"}, {"run", "--script", h.file, "--session", id, "x"}, {"sessions", "fork", id}, {"undo", "--list", "--session", id}} {
		if out := h.tell("", 2, words...); !strings.Contains(out, "TERA_PILOT_SESSION_KEY") {
			t.Errorf("%v without the key: %s", words, out)
		}
		if out := h.tell("another-key-than-that", 2, words...); !strings.Contains(out, "not the one") {
			t.Errorf("%v with another key: %s", words, out)
		}
	}

	// It goes on, its cut output is read, and its change is undone.
	name := outputName(h, id)
	h.play(vaultStep{Say: "again", Calls: []vaultCall{{Tool: "grep", Args: args(`{"pattern":"PLANTED","path":%q}`, name)}}}, vaultStep{When: map[string]any{"contains": vaultText}, Say: "seen"})
	if out := h.run(vaultSecret, 0, "--session", id, "go on"); !strings.Contains(out, "seen") {
		t.Errorf("the output %q was not read: %s", name, out)
	}
	h.tell(vaultSecret, 0, "undo", "--session", id, "--all")
	if _, err := os.Stat(filepath.Join(h.repo, "new.txt")); err == nil {
		t.Error("the file is there after the undo")
	}
	h.nothing(vaultText, vaultSecret)
	h.tell(vaultSecret, 0, "audit", "verify")
}

// outputName is the name of an output that was cut, which the results hold.
func outputName(h vaultHome, id string) string {
	_, rest, ok := strings.Cut(h.tell(vaultSecret, 0, "sessions", "show", "--json", id), "@out/")
	if !ok {
		return ""
	}
	return "@out/" + strings.FieldsFunc(rest, func(r rune) bool { return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'z') })[0]
}

// TestOldSessionsAreEncryptedWhenAsked: they stay readable, are not written to
// in the open, and go on when they are encrypted, with what undo keeps.
func TestOldSessionsAreEncryptedWhenAsked(t *testing.T) {
	h := newVaultHome(t)
	h.play(vaultStep{Say: "so", Calls: []vaultCall{{Tool: "write_file", Args: args(`{"path":"new.txt","content":%q}`, vaultText)}}}, vaultStep{Say: "done"})
	h.run("", 0, vaultText)
	id := h.session("")
	if out := h.tell(vaultSecret, 0, "sessions", "show", id); !strings.Contains(out, vaultText) {
		t.Errorf("an old session cannot be read: %s", out)
	}
	h.play(vaultStep{Say: "a new one"})
	h.run(vaultSecret, 0, "begin")
	if out := h.run(vaultSecret, 2, "--session", id, "go on"); !strings.Contains(out, "sessions encrypt") {
		t.Errorf("%s", out)
	}
	if out := h.tell(vaultSecret, 0, "sessions", "encrypt"); !strings.Contains(out, "1 encrypted") {
		t.Errorf("%s", out)
	}
	h.nothing(vaultText)
	h.run(vaultSecret, 0, "--session", id, "go on")
	h.tell(vaultSecret, 0, "undo", "--session", id, "--all")
	if _, err := os.Stat(filepath.Join(h.repo, "new.txt")); err == nil {
		t.Error("the file is there after the undo")
	}
}

// TestTheKeyFromTheKeyStore: without a variable.
func TestTheKeyFromTheKeyStore(t *testing.T) {
	h := newVaultHome(t)
	set := h.command("", "keys", "set", "sessions", "--from", "stdin")
	set.Stdin = strings.NewReader(vaultSecret + "\n")
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.play(vaultStep{Say: "done"})
	h.run("", 0, vaultText)
	if out := h.tell("", 0, "sessions", "show", h.session("")); !strings.Contains(out, vaultText) {
		t.Errorf("%s", out)
	}
	h.nothing(vaultText)
	h.tell("", 0, "keys", "remove", "sessions")
	if out := h.run("", 2, "again"); !strings.Contains(out, "encrypted, and no key is set") {
		t.Errorf("%s", out)
	}
}

// TestAKeyThatIsNotThere: what was set to be encrypted is never written in the
// open, and a key store that is shut is in nobody's way who has no such key.
func TestAKeyThatIsNotThere(t *testing.T) {
	h := newVaultHome(t)
	h.play(vaultStep{Say: "done"})
	if out := h.tell("", 2, "keys", "set", "sessions", "--from", "env:NO_SUCH_KEY"); !strings.Contains(out, "of no use") {
		t.Errorf("%s", out)
	}
	if out := h.run("", 2, vaultText); !strings.Contains(out, "env:NO_SUCH_KEY, and that is empty") {
		t.Errorf("%s", out)
	}
	h.tell("", 0, "keys", "remove", "sessions")
	set := h.command("", "keys", "set", "anthropic", "--from", "stdin")
	set.Stdin, set.Env = strings.NewReader("a-key-of-a-provider"), append(set.Env, "TERA_PILOT_KEYS_PASSPHRASE=open-it-please")
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.run("", 0, "the key store is shut")
	set = h.command("", "keys", "set", "sessions", "--from", "stdin")
	set.Stdin, set.Env = strings.NewReader(vaultSecret), append(set.Env, "TERA_PILOT_KEYS_PASSPHRASE=open-it-please")
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out := h.run("", 2, vaultText); !strings.Contains(out, "TERA_PILOT_KEYS_PASSPHRASE") {
		t.Errorf("%s", out)
	}
	h.nothing(vaultText)
}

// TestNoChildGetsOurKeys: of what a command sees, and of its arguments.
func TestNoChildGetsOurKeys(t *testing.T) {
	rest, own := takeSecrets([]string{"A=1", "TERA_PILOT_SESSION_KEY=x", "TERA_PILOT_PROMPT_KEY=y", "TERA_PILOT_KEYS_PASSPHRASE=z", "B=2"})
	if strings.Join(rest, " ") != "A=1 B=2" || own["TERA_PILOT_SESSION_KEY"] != "x" || len(own) != 3 {
		t.Errorf("%v %v", rest, own)
	}
	h := newVaultHome(t)
	for _, words := range [][]string{{"sandbox", "--", "env"}, {"git", "config", "--list"}} {
		cmd := h.command(vaultSecret, words...)
		cmd.Env = append(cmd.Env, "TERA_PILOT_OS_SANDBOX=auto")
		out, _ := cmd.CombinedOutput() // it may have no sandbox here
		if strings.Contains(string(out), vaultSecret) {
			t.Errorf("%v: %s", words, out)
		}
	}
}

// TestKillAndResumeEncrypted kills the program in the middle of a turn, and a
// second process meets the session while the first one has it.
func TestKillAndResumeEncrypted(t *testing.T) {
	h := newVaultHome(t)
	h.play(vaultStep{Say: "one", Calls: []vaultCall{{Tool: "list_files", Args: args(`{"path":"."}`)}}}, vaultStep{Say: "slow " + strings.Repeat("word ", 200), Delay: 5_000, Chunk: 5})
	first := h.command(vaultSecret, "run", "--json", "--script", h.file, vaultText)
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(out)
	id := ""
	for over := false; !over; {
		var e event.Event
		if err := in.Decode(&e); err != nil {
			t.Fatal(err)
		}
		id = e.Session
		_, over = e.Body.(event.CallResult)
	}
	if said := h.run(vaultSecret, 2, "--session", id, "me too"); !strings.Contains(said, "open in another tera-pilot") {
		t.Errorf("the second process: %s", said)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	h.nothing(vaultText)
	h.play(vaultStep{Say: "gone on"})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		cmd := h.command(vaultSecret, "run", "--script", h.file, "--session", id, "and now")
		said, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if !strings.Contains(string(said), "open in another") || time.Now().After(deadline) {
			t.Fatalf("%v: %s", err, said)
		}
	}
	if said := h.tell(vaultSecret, 0, "sessions", "show", id); !strings.Contains(said, "gone on") || !strings.Contains(said, vaultText) {
		t.Errorf("%s", said)
	}
}

// TestThePromptByHand: set, shown, refused without its key, with another and
// when it was altered, and taken away.
func TestThePromptByHand(t *testing.T) {
	h := newVaultHome(t)
	prompt := func(key string, code int, in string, words ...string) string {
		t.Helper()
		cmd := h.command("", words...)
		cmd.Stdin = strings.NewReader(in)
		if key != "" {
			cmd.Env = append(cmd.Env, "TERA_PILOT_PROMPT_KEY="+key)
		}
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Fatalf("%v: exit %d, not %d: %v\n%s", words, got, code, err, out)
		}
		return string(out)
	}
	run := []string{"run", "--script", h.file, "x"}
	h.play(vaultStep{Say: "done"})
	if out := prompt("", 2, vaultText, "prompt", "set"); !strings.Contains(out, "TERA_PILOT_PROMPT_KEY") {
		t.Errorf("set without a key: %s", out)
	}
	prompt("prompt-secret", 0, vaultText, "prompt", "set")
	if out := prompt("prompt-secret", 0, "", "prompt", "show"); out != vaultText {
		t.Errorf("shown: %q", out)
	}
	prompt("prompt-secret", 0, "", run...)
	h.nothing(vaultText, "prompt-secret")
	for key, want := range map[string]string{"": "no key is set", "another-secret": "not the one"} {
		if out := prompt(key, 2, "", run...); !strings.Contains(out, want) {
			t.Errorf("with the key %q: %s", key, out)
		}
	}
	path := filepath.Join(h.home, ".tera_pilot", "prompt.sealed")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`"prompt":"`)) + 15
	b[at] = 'A' + (b[at]-'A'+1)%20
	for want, b := range map[string][]byte{"altered": b, "cut off": b[:len(b)/2]} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := prompt("prompt-secret", 2, "", run...); !strings.Contains(out, want) {
			t.Errorf("%s: %s", want, out)
		}
	}
	prompt("", 0, "", "prompt", "remove")
	prompt("", 0, "", run...)
}
