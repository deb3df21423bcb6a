package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// TestMemoryOfALongSession: the whole program stays under 100 MB with 10,000
// turns of 2 KB behind it (docs/architecture.md, section 7). Repeated runs come
// to 90 to 94.
func TestMemoryOfALongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	bin, home := built(t), t.TempDir()
	repo, state := filepath.Join(home, "repo"), filepath.Join(home, "state")
	for _, dir := range []string{repo, state} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(home, "turns.json")
	if err := os.WriteFile(script, []byte(`{"steps": [{"say": "x"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := session.NewStore(filepath.Join(state, "sessions")).Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	bodies := []event.Body{event.Opened{Root: repo, Level: "always_ask"}}
	for i := range 10_000 {
		text := fmt.Sprint(i, " ", strings.Repeat("The literal scanner needs its **own** counter, see `scan.go`. ", 32))
		bodies = append(bodies, event.TurnStarted{Turn: i + 1, Text: fmt.Sprint("turn ", i)}, event.Reply{Text: text, Stop: "end"}, event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	if _, err = log.Append(time.Now(), bodies...); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "--provider", "scripted", "--script", script, "--home", state, "--session", log.ID())
	cmd.Dir, cmd.Env = repo, []string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	proc := termtest.Start(t, cmd, 100, 30)
	(&person{t: t, at: ptyTerminal{proc}}).until("turn 10000")
	for range 20 {
		proc.Key("pgup")
	}
	time.Sleep(time.Second)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB", kb>>10)
	if kb > 100<<10 {
		t.Errorf("%d MB are resident", kb>>10)
	}
	proc.Key("esc")
	time.Sleep(200 * time.Millisecond)
	proc.Key("ctrl+d")
	if code := proc.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}
