package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// TestDoctorTerminal: the real program asks a terminal, a person leaves the keys
// out, presses one, or ends it; the terminal is as it was each time.
func TestDoctorTerminal(t *testing.T) {
	bin := built(t)
	start := func(t *testing.T) *termtest.Process {
		cmd := exec.Command(bin, "doctor", "--terminal")
		cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
		return termtest.Start(t, cmd, 100, 40)
	}
	for _, c := range []struct {
		name string
		do   func(p *termtest.Process)
		exit int
		says string
	}{
		{"left out", func(p *termtest.Process) {
			p.WaitFor("press shift+enter")
			p.Key("esc")
			p.WaitFor("paste something")
			p.Key("esc")
		}, exitOK, "left out"},
		{"pressed and pasted", func(p *termtest.Process) {
			p.WaitFor("press shift+enter")
			p.Type("\r")
			p.WaitFor("paste something")
			p.Type(termtest.Paste("not to be shown"))
		}, exitOK, "it comes in brackets"},
		{"ended", func(p *termtest.Process) { p.WaitFor("press shift+enter"); p.Type("\x03") }, exitFailed, "stopped"},
		{"told to end", func(p *termtest.Process) { p.WaitFor("press shift+enter"); p.Signal(syscall.SIGTERM) }, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t)
			c.do(p)
			if code := p.WaitExit(); c.exit >= 0 && code != c.exit {
				t.Errorf("exit %d, want %d\n%s", code, c.exit, p.Text())
			}
			if err := p.Restored(); err != nil {
				t.Errorf("%v\n%s", err, p.Text())
			}
			if text := p.Text(); !strings.Contains(text, c.says) || strings.Contains(text, "not to be shown") {
				t.Errorf("the screen shows\n%s", text)
			}
		})
	}
}

// TestDoctorTerminalInTmux: all parts are found, with the keys left out by
// --json.
func TestDoctorTerminalInTmux(t *testing.T) {
	bin := built(t)
	m := termtest.NewTmux(t, 110, 40, []string{"HOME=" + t.TempDir()}, "sh", "-c", bin+" doctor --terminal; echo EXIT $?; sleep 60")
	m.WaitFor("press shift+enter")
	m.Keys("Escape")
	m.WaitFor("paste something")
	m.Keys("Escape")
	m.WaitFor("EXIT 0")
	text := m.Text()
	for _, want := range []string{"tmux 3", "width of wide characters", "2 cells, as counted", "allow-passthrough", "key protocol", "bracketed paste"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// TestDoctorTerminalWithoutOne is left out, with the reason, and is no failure.
func TestDoctorTerminalWithoutOne(t *testing.T) {
	cmd := exec.Command(built(t), "doctor", "--terminal", "--json")
	cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm"}
	out, err := cmd.Output()
	var r terminalReport
	if err != nil || json.Unmarshal(out, &r) != nil || !r.Ready || r.Skipped != "stdin or stdout is no terminal" || len(r.Checks) != 0 || strings.Contains(string(out), "\x1b") {
		t.Errorf("%v: %s", err, out)
	}
}
