package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// A terminal is what a person sits at: a screen and keys.
type terminal interface {
	Text() string
	press(key string)
}

type ptyTerminal struct{ *termtest.Process }

func (p ptyTerminal) press(key string) { p.Key(key) }

type tmuxTerminal struct{ *termtest.Tmux }

func (m tmuxTerminal) press(key string) {
	if name, ok := map[string]string{"pgdown": "PageDown", "ctrl+d": "C-d", "enter": "Enter"}[key]; ok {
		key = name
	}
	m.Keys(key)
}

// person answers what comes up on the screen, as a person does: reads to the
// end, waits until a key counts, and presses it. It returns when the screen
// shows what was waited for.
type person struct {
	t    *testing.T
	at   terminal
	says string // the key of the answer
	seen []string
}

// until answers questions until the screen shows a text.
func (p *person) until(text string) {
	p.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for time.Now().Before(deadline) {
		screen := p.at.Text()
		switch {
		case strings.Contains(screen, text):
			return
		case strings.Contains(screen, "ARMED"):
			p.seen = append(p.seen, screen)
			p.at.press(p.says)
			p.gone("ARMED")
		case strings.Contains(screen, "READ ON"):
			p.at.press("pgdown")
			time.Sleep(500 * time.Millisecond) // an answer counts only when the keyboard has been quiet
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("%q never came up; the screen shows\n%s", text, p.at.Text())
}

// gone waits until a text has left the screen.
func (p *person) gone(text string) {
	p.t.Helper()
	for range 200 {
		if !strings.Contains(p.at.Text(), text) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("%q stays on the screen\n%s", text, p.at.Text())
}

// mends walks the whole task at a terminal.
func (p *patient) mends(at terminal, typed func(string)) {
	p.t.Helper()
	who := &person{t: p.t, at: at, says: "a"}
	who.until("enter send")
	typed("the tests fail, mend them")
	at.press("enter")
	who.until("go test passes")
	who.until("enter send")
	at.press("ctrl+d")
	who.until("tera-pilot --continue")
	if len(who.seen) != 3 {
		p.t.Errorf("%d questions, and there are three to be asked: tests, edit, tests", len(who.seen))
	}
	if len(who.seen) > 1 && !strings.Contains(who.seen[1], "return 4") {
		p.t.Errorf("the edit's question shows no diff:\n%s", who.seen[1])
	}
	p.mended()
	p.noKeyAnywhere()
}

func foreignTerminal(t *testing.T, p *patient) {
	p.serve(mending)
	cmd := exec.Command(p.bin)
	cmd.Dir, cmd.Env = p.repo, p.env
	proc := termtest.Start(t, cmd, 100, 30)
	p.mends(ptyTerminal{proc}, proc.Type)
	if code := proc.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	if err := proc.Restored(); err != nil {
		t.Error(err)
	}
}

func foreignTmux(t *testing.T, p *patient) {
	p.serve(mending)
	m := termtest.NewTmux(t, 100, 30, p.env, "sh", "-c", "cd "+p.repo+" && "+p.bin+"; echo EXIT $?; sleep 60")
	p.mends(tmuxTerminal{m}, m.Type)
	m.WaitFor("EXIT 0")
}

// TestDemoInTmux plays the demo as the README says, with key strokes.
func TestDemoInTmux(t *testing.T) {
	bin := built(t)
	m := termtest.NewTmux(t, 100, 30, []string{"HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}, "sh", "-c", bin+" demo; echo EXIT $?; sleep 60")
	who := &person{t: t, at: tmuxTerminal{m}, says: "a"}
	who.until("You may want to take")
	who.until("enter send")
	m.Keys("C-d")
	m.WaitFor("EXIT 0")
	if !strings.Contains(m.Text(), "tampered, as it should be found") {
		t.Errorf("the last screen is\n%s", m.Text())
	}
	if len(who.seen) != 4 {
		t.Errorf("%d questions, want 4", len(who.seen))
	}
}
