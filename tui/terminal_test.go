package tui_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// helper names the part that this test binary plays as a program of its own.
const helper = "TERA_PILOT_TUI_TEST"

func TestMain(m *testing.M) {
	if part := os.Getenv(helper); part != "" {
		os.Exit(playPart(part))
	}
	time.Local = time.UTC // times of day on the screens are those of one place
	os.Exit(m.Run())
}

// playPart is the program on the terminal.
func playPart(part string) int {
	s := tuitest.NewSession(append(working(), event.TurnEnded{Status: "done"})...)
	s.On = func(c event.Command) []event.Body {
		switch c := c.(type) {
		case event.Submit:
			if c.Text == "ask" {
				return asked(commandQuestion())
			}
			return []event.Body{event.TurnStarted{Turn: 13, Text: c.Text}, event.Reply{Text: "you said: " + c.Text}, event.TurnEnded{Turn: 13, Status: "done"}}
		case event.Answer:
			return []event.Body{event.QuestionClosed{ID: c.Question, How: "answered"}, event.Reply{Text: fmt.Sprintf("the answer was %d", c.Choice)}}
		}
		return nil
	}
	o := tui.Options{Session: s, In: os.Stdin, Out: os.Stdout, Env: os.Environ()}
	switch part {
	case "panic":
		o.Code = func() string { panic("a bug with \x1b[31mcolours") }
	case "inline":
		o.Mode = tui.Inline
	}
	if _, err := tui.Run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

func program(t *testing.T, part string, width, height int) *termtest.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helper+"="+part, "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "TEA_TRACE="+t.TempDir()+"/trace")
	// When Bubble Tea shuts down, muesli/cancelreader v0.2.2 closes its epoll
	// file while its own reader asks for the descriptor: a race within that
	// library that the detector reports now and then. Reports go into files, and
	// any but that one fails the test.
	races := filepath.Join(t.TempDir(), "race")
	cmd.Env = append(cmd.Env, "GORACE=exitcode=0 log_path="+races)
	t.Cleanup(func() { onlyKnownRaces(t, races) })
	return termtest.Start(t, cmd, width, height)
}

// onlyKnownRaces fails for every race report but that of the library.
func onlyKnownRaces(t *testing.T, prefix string) {
	files, err := filepath.Glob(prefix + ".*")
	if err != nil {
		t.Error(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, report := range strings.Split(string(b), "WARNING: DATA RACE")[1:] {
			if !strings.Contains(report, "cancelreader.(*epollCancelReader).wait()") || !strings.Contains(report, "cancelreader.(*epollCancelReader).Close()") {
				t.Errorf("a data race:%s", report)
			}
		}
	}
}

// TestTheTerminalIsLeftAsItWas: after every way to end.
func TestTheTerminalIsLeftAsItWas(t *testing.T) {
	for _, c := range []struct {
		name, part string
		end        func(*termtest.Process)
		code       int
		says       string
	}{
		{"ctrl+d", "play", func(p *termtest.Process) { p.Key("ctrl+d") }, 0, "session 20261129-1400-a1b2"},
		{"ctrl+c twice", "play", func(p *termtest.Process) { p.Key("ctrl+c", "ctrl+c") }, 0, "tera-pilot --continue"},
		{"/quit", "play", func(p *termtest.Process) { p.Type("/quit"); p.Key("enter") }, 0, "I will look at the scanner first."},
		{"in a question", "play", func(p *termtest.Process) {
			p.Type("ask")
			p.Key("enter")
			p.WaitFor("ARMED")
			p.Signal(syscall.SIGTERM)
		}, 0, "session"},
		{"TERM", "play", func(p *termtest.Process) { p.Signal(syscall.SIGTERM) }, 0, "session"},
		{"INT", "play", func(p *termtest.Process) { p.Signal(syscall.SIGINT) }, 0, "session"},
		{"QUIT", "play", func(p *termtest.Process) { p.Signal(syscall.SIGQUIT) }, 0, "session"},
		{"panic", "panic", func(p *termtest.Process) { p.Type("/level never_ask"); p.Key("enter") }, 1, "a bug with <x1B>[31mcolours"},
		{"inline", "inline", func(p *termtest.Process) { p.Key("ctrl+d") }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := program(t, c.part, 100, 30)
			p.WaitFor("[=] always_ask")
			p.WaitFor("? keys")
			if c.part != "inline" && !p.AltScreen() {
				t.Error("not on the alternate screen")
			}
			c.end(p)
			if code := p.WaitExit(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if err := p.Restored(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(p.Text(), c.says) {
				t.Errorf("it does not say %q:\n%s", c.says, p.Text())
			}
			if seen := p.Seen(); len(seen.Titles) > 0 || len(seen.Osc) > 0 {
				t.Errorf("title or clipboard were touched: %+v", seen)
			}
		})
	}
}

// TestOnAPseudoTerminal: raw mode, real sizes, real time.
func TestOnAPseudoTerminal(t *testing.T) {
	p := program(t, "play", 100, 30)
	p.WaitFor("? keys")
	p.Type("日本語 ok")
	p.WaitFor("> 日本語 ok")
	if x, y, shown := p.Cursor(); x != 2+6+3 || y != 23 || !shown {
		t.Errorf("the cursor is at %d,%d shown %v\n%s", x, y, shown, p.Text())
	}
	p.Resize(60, 20)
	p.WaitFor("\n" + strings.Repeat("-", 60) + "\n> 日本語 ok")
	p.Key("ctrl+u")
	p.Type("ask")
	p.Key("enter")
	p.WaitFor("READ ON to allow")
	p.Key("pgdown", "pgdown", "pgdown")
	p.WaitFor("ARMED")
	p.Key("a")
	p.WaitFor("the answer was 1")
}

// TestTmux is the same through a real multiplexer.
func TestTmux(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := termtest.NewTmux(t, 100, 30, []string{helper + "=play"}, "sh", "-c", self+"; echo left with $?; exec cat")
	m.WaitFor("? keys")
	m.Type("日本語")
	m.WaitFor("> 日本語")
	if got := m.Ask("#{cursor_x},#{cursor_y},#{cursor_flag},#{alternate_on}"); got != "8,23,1,1" {
		t.Errorf("cursor, its flag and the alternate screen: %s", got)
	}
	m.Keys("C-u")
	m.Paste("two\nlines")
	m.WaitFor("  lines")
	m.Resize(70, 22)
	m.WaitFor("  lines")
	m.Keys("Enter")
	m.WaitFor("you said: two lines")
	m.Type("ask")
	m.Keys("Enter")
	m.WaitFor("confirm  run npm install")
	m.Keys("Enter", "Space", "1", "PageDown", "PageDown", "PageDown", "PageDown")
	m.WaitFor("ARMED")
	time.Sleep(300 * time.Millisecond)
	m.Keys("a")
	m.WaitFor("the answer was 1")
	m.Clipboard()
	m.Keys("S-Up", "y")
	m.WaitFor("sent to the terminal clipboard")
	m.Copied("the answer was 1")
	m.Keys("Escape")
	m.WaitFor("enter send")
	m.Keys("C-d")
	m.WaitFor("left with 0")
	if got := m.Ask("#{cursor_flag},#{alternate_on},#{keypad_cursor_flag},#{pane_title}"); !strings.HasPrefix(got, "1,0,0,") || strings.Contains(got, "frame") {
		t.Errorf("left behind: %s", got)
	}
}
