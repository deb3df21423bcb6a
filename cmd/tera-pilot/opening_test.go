package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// folders are a home, a state folder and a repository, and a script of one reply.
type folders struct{ home, state, repo, script string }

func newFolders(tb testing.TB, script string) folders {
	tb.Helper()
	home := tb.TempDir()
	f := folders{home, filepath.Join(home, "state"), filepath.Join(home, "repo"), filepath.Join(home, "script.json")}
	for _, dir := range []string{f.state, f.repo} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(f.script, []byte(script), 0o600); err != nil {
		tb.Fatal(err)
	}
	return f
}

func (f folders) command(bin string, args ...string) *exec.Cmd {
	cmd := exec.Command(bin, append(args, "--provider", "scripted", "--script", f.script, "--home", f.state)...)
	cmd.Dir, cmd.Env = f.repo, []string{"HOME=" + f.home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	return cmd
}

// TestAScreenWithoutASession: the screen comes before the session, and goes
// again where no session comes, with the cause and the exit code of it.
func TestAScreenWithoutASession(t *testing.T) {
	f := newFolders(t, `{"steps": [{"say": "x"}]}`)
	if err := os.WriteFile(filepath.Join(f.state, "audit"), []byte("a file where the folder must be"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := termtest.Start(t, f.command(built(t)), 100, 30)
	if code := p.WaitExit(); code != exitNoEvidence {
		t.Errorf("exit %d", code)
	}
	if text := p.Text(); !strings.Contains(text, "audit") || strings.Contains(text, "opening the session") {
		t.Errorf("the screen shows:\n%s", text)
	}
	if err := p.Restored(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(f.state, "sessions", "*", "events.jsonl")); len(left) > 0 {
		t.Errorf("a session that did not come about left %v", left)
	}
}
