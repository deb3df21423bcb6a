package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
)

// TestActivityOfARealSession: the view shows what a session did, says that the
// chain holds, exports what verifies, and notices a log that was put back to
// an older copy while it runs.
func TestActivityOfARealSession(t *testing.T) {
	home := t.TempDir()
	state, repo := filepath.Join(home, ".tera_pilot"), filepath.Join(home, "repo")
	for _, dir := range []string{state, repo} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(home, "script.json")
	text := `{"steps":[{"calls":[{"tool":"write_file","args":{"path":"a.txt","content":"one\n"}}]},{"say":"done"}]}`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(process{env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, stdout: os.Stdout, stderr: os.Stderr})
	a.flags.provider, a.flags.script, a.flags.autonomy = "scripted", script, "new_files_only"
	ctx := context.Background()
	o, err := a.open(ctx, launch{front: audit.FrontTUI, dir: repo, canAsk: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Close(audit.CloseOK) }() // the log is damaged on purpose below
	l := a.activityLog(ctx, o)
	before := readTree(t, filepath.Join(state, "audit"))
	runTurn(t, o, "go")
	page, err := l.Load(-1)
	if err != nil {
		t.Fatal(err)
	}
	var wrote activity.Entry
	for _, e := range page.Entries {
		if !e.Mine || e.Title == "" || e.At.IsZero() {
			t.Errorf("%+v", e)
		}
		if e.What == "write_file" {
			wrote = e
		}
	}
	if wrote.Status != "ok" || wrote.Category != "file" || wrote.By == "" || page.Next != o.Head().Size {
		t.Errorf("%+v, next %d of %d", wrote, page.Next, o.Head().Size)
	}
	lines, err := l.Record(wrote.Seq)
	if err != nil || !strings.Contains(strings.Join(lines, "\n"), "a.txt") {
		t.Errorf("%q %v", lines, err)
	}
	for _, full := range []bool{false, true} {
		if c := l.Verify(full); !c.OK || c.Size != o.Head().Size || c.Full != full {
			t.Errorf("%+v", c)
		}
	}
	path, err := l.Export()
	if err != nil {
		t.Fatal(err)
	}
	if code, out := verifyExport(t, path, filepath.Join(state, "audit_key.pub")); code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
	more, err := l.Load(page.Next)
	if err != nil || len(more.Entries) == 0 || more.Next <= page.Next {
		t.Errorf("%+v, %v", more, err)
	}
	for name, b := range before {
		if err := os.WriteFile(filepath.Join(state, "audit", name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c := l.Verify(false); c.OK || !strings.Contains(c.Why, "rollback") && !strings.Contains(c.Why, "signature") && !strings.Contains(c.Why, "checkpoint") {
		t.Errorf("an older copy took the place of the log: %+v", c)
	}
}

func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func runTurn(t *testing.T, o *opened, text string) {
	t.Helper()
	state, err := o.State()
	if err != nil {
		t.Fatal(err)
	}
	_, live, stop, err := o.Subscribe(state.Seq)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := o.Send(event.Submit{Text: text}); err != nil {
		t.Fatal(err)
	}
	for e := range live {
		if end, ok := e.Body.(event.TurnEnded); ok {
			if end.Status != "done" {
				t.Fatalf("%+v", end)
			}
			return
		}
	}
	t.Fatal("the session ended")
}

func verifyExport(t *testing.T, path, key string) (int, string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	code := run(context.Background(), process{args: []string{"audit", "verify", path, "--pubkey", key}, stdin: os.Stdin, stdout: out, stderr: out})
	b, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(b)
}
