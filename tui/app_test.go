package tui_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

func TestStartScreenChooses(t *testing.T) {
	for keys, want := range map[string]string{"d": "demo", "enter": "demo", "down r": "refresh", "k": "", "1": "", "a": ""} {
		story := startStory()
		tuitest.Bubble(t, func(t *testing.T) {
			p := tuitest.Open(t, 80, 24, tui.Options{Start: &story})
			p.Keys(strings.Fields(keys)...)
			ended := p.Ended()
			p.Quit()
			if got := p.Outcome().Chosen; got != want || ended != (want != "") {
				t.Errorf("%s chose %q, ended %v; want %q", keys, got, ended, want)
			}
		})
	}
}

// TestStartScreenGoesBack: a screen that was reached from another is left by
// esc, and says so; the first one is not.
func TestStartScreenGoesBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		story := startStory()
		story.Back = back
		tuitest.Bubble(t, func(t *testing.T) {
			p := tuitest.Open(t, 80, 24, tui.Options{Start: &story})
			shows(t, p, back, "esc back")
			shows(t, p, !back, "ctrl+d quit")
			p.Keys("esc")
			if p.Ended() != back {
				t.Errorf("back %v: esc ended it: %v", back, p.Ended())
			}
			p.Quit()
			if got := p.Outcome().Chosen; got != "" {
				t.Errorf("esc chose %q", got)
			}
		})
	}
}

// TestStartScreenSaysWhyNot: a key of what cannot be taken is answered.
func TestStartScreenSaysWhyNot(t *testing.T) {
	story := startStory()
	tuitest.Play(t, 80, 24, tui.Options{Start: &story}, func(p *tuitest.Program) {
		p.Keys("k")
		shows(t, p, true, "Add a key: tera-pilot keys set NAME")
		p.Keys("up")
		shows(t, p, false, "Add a key: tera-pilot")
	})
}

// TestStartScreenLooksAgain: r looks again where something can change.
func TestStartScreenLooksAgain(t *testing.T) {
	story, looked := startStory(), 0
	again := func() snap.Start {
		looked++
		s := startStory()
		s.Local[0].State = fmt.Sprintf("%d models", looked)
		return s
	}
	tuitest.Play(t, 80, 24, tui.Options{Start: &story, Refresh: again}, func(p *tuitest.Program) {
		if !strings.Contains(p.Screen.Text(), "1 models") {
			t.Errorf("the first look is not shown:\n%s", p.Screen.Text())
		}
		p.Keys("r")
		if !strings.Contains(p.Screen.Text(), "2 models") {
			t.Errorf("the second look is not shown:\n%s", p.Screen.Text())
		}
	})
}

func TestCommandsOfTheComposer(t *testing.T) {
	for typed, want := range map[string]string{
		"/model llama3":         "event.SetModel{ llama3}",
		"/model ollama llama3":  "event.SetModel{ollama llama3}",
		"/rename fix the tabs":  "event.Rename{fix the tabs}",
		"/cancel":               "event.Cancel{}",
		"/nothing":              "",
		"/level sometimes":      "",
		"/level always_ask":     "level always_ask",
		"/autonomy always_ask":  "level always_ask",
		"/planning on":          "level always_ask",
		"/rewind 2":             "event.ListUndo{}",
		"/usage":                "",
		"/usr/bin/env is where": "event.Submit{/usr/bin/env is where}",
		"say /model":            "event.Submit{say /model}",
		"   ":                   "",
	} {
		tuitest.Bubble(t, func(t *testing.T) {
			s := tuitest.NewSession(opened())
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
			p.Type(typed)
			p.Keys("enter")
			if got := commands(s); got != want {
				t.Errorf("%q told the session %q, want %q", typed, got, want)
			}
			if typed == "/nothing" && !strings.Contains(p.Screen.Text(), "no such command: /nothing   /help /level") {
				t.Errorf("nothing is said:\n%s", p.Screen.Text())
			}
			if typed == "/usage" && !strings.Contains(p.Screen.Text(), "no such command: /usage   the last row says") {
				t.Errorf("nobody says where it is:\n%s", p.Screen.Text())
			}
			p.Quit()
		})
	}
}

func TestComposerKeys(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		p.Type("one")
		p.Keys("ctrl+j")
		p.Type("two")
		p.Keys("alt+enter", "shift+enter")
		p.Type("three")
		p.Send("a\rb\r") // a paste without brackets: its line ends do not send
		p.Wait(100 * ms)
		p.Keys("enter")
		s.Emit(event.TurnStarted{Turn: 1, Text: "one"}, event.Queued{Texts: []string{"later"}})
		p.Wait(100 * ms)
		p.Keys("up")
		if !strings.Contains(p.Screen.Text(), "\n> later\n") {
			t.Errorf("what was queued is not taken back:\n%s", p.Screen.Text())
		}
		p.Keys("esc", "ctrl+c")
		want := "event.Submit{one\ntwo\n\nthreea\nb}; event.Withdraw{}; event.Cancel{}; event.Cancel{}"
		if got := commands(s); got != want {
			t.Errorf("the session was told %q, want %q", got, want)
		}
		p.Quit()
	})
}

// TestPasteIsFast: a megabyte becomes one piece, and is sent as it was.
func TestPasteIsFast(t *testing.T) {
	big := strings.Repeat("a line of a log file, 日本\n", 40_000)
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		start := time.Now()
		p.Send(termtest.Paste(big))
		p.Wait(100 * ms)
		if !strings.Contains(p.Screen.Text(), "> [paste 1: 40001 lines,") {
			t.Errorf("after %v:\n%s", time.Since(start), p.Screen.Text())
		}
		p.Keys("enter")
		if c := s.Commands(); len(c) != 1 || c[0].(event.Submit).Text != big {
			t.Error("the text is not what was pasted")
		}
		p.Quit()
	})
}

func TestNoColour(t *testing.T) {
	for _, env := range [][]string{{"TERM=xterm-256color", "NO_COLOR=1"}, {"TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=yes"}} {
		s := tuitest.NewSession(opened())
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Env: env}, func(p *tuitest.Program) {
			s.Emit(append(streaming()[1:], asked(editQuestion())...)...)
			p.Wait(3 * time.Second)
			for _, text := range []string{p.Screen.Styled(), func() string { p.Keys("esc"); return p.Screen.Styled() }()} {
				if i := strings.LastIndex(text, "cursor "); strings.Contains(text[i:], " #") || !strings.Contains(text[i:], "bold") {
					t.Errorf("with %v the looks are:\n%s", env, text[i:])
				}
			}
		})
	}
}

// TestALightTerminalGetsTheLightTheme: by its answer to the query.
func TestALightTerminalGetsTheLightTheme(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		dark := p.Screen.Styled()
		p.Send("\x1b]11;rgb:ffff/ffff/ffff\x07")
		p.Wait(200 * ms)
		if p.Screen.Styled() == dark || !strings.Contains(p.Screen.Styled(), "#006644") {
			t.Errorf("the looks stay those of a dark terminal:\n%s", p.Screen.Styled())
		}
		p.Quit()
	})
}

// slow is a session that cuts its listeners off.
type slow struct {
	*tuitest.Session
	left int
}

func (s *slow) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	backlog, live, cancel, err := s.Session.Subscribe(seq)
	if s.left--; s.left >= 0 && err == nil {
		cut := make(chan event.Event, 1)
		cut <- event.Event{Body: event.Working{On: "model"}}
		close(cut)
		cancel()
		return backlog, cut, func() {}, nil
	}
	return backlog, live, cancel, err
}

// TestAFeedThatIsCutOff is taken up again, and nothing is lost or doubled.
func TestAFeedThatIsCutOff(t *testing.T) {
	s := &slow{Session: tuitest.NewSession(finished()...), left: 3}
	tuitest.Play(t, 100, 40, tui.Options{Session: s}, func(p *tuitest.Program) {
		s.Emit(event.TurnStarted{Turn: 13, Text: "one more thing"})
		p.Wait(200 * ms)
		if text := p.Screen.Text(); strings.Count(text, "one more thing") != 1 || strings.Count(text, "Done. The literal") != 1 {
			t.Errorf("the transcript is\n%s", text)
		}
	})
}

// gone is a session that takes nothing.
type gone struct{ *tuitest.Session }

func (gone) Send(event.Command) error { return errors.New("the other end is gone") }

func TestASessionThatIsGone(t *testing.T) {
	t.Run("ended", func(t *testing.T) {
		tuitest.Bubble(t, func(t *testing.T) {
			s := tuitest.NewSession(opened())
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
			s.End()
			p.Wait(time.Second)
			if !p.Ended() {
				t.Error("the front end goes on")
			}
			p.Quit()
		})
	})
	t.Run("broken", func(t *testing.T) {
		tuitest.Bubble(t, func(t *testing.T) {
			p := tuitest.Open(t, 100, 30, tui.Options{Session: gone{tuitest.NewSession(opened())}})
			p.Type("hello")
			p.Keys("enter")
			p.Wait(time.Second)
			if err := p.Err(); err == nil || !strings.Contains(err.Error(), "the other end is gone") {
				t.Errorf("it ended with %v", err)
			}
		})
	})
}

// TestTraceIsCleared: Bubble Tea would write keys and frames into a file.
func TestTraceIsCleared(t *testing.T) {
	t.Setenv("TEA_TRACE", t.TempDir()+"/trace")
	t.Setenv("TEA_DEBUG", "1")
	tuitest.Play(t, 80, 24, tui.Options{Session: tuitest.NewSession(opened())}, func(p *tuitest.Program) {
		for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
			if v, ok := os.LookupEnv(name); ok {
				t.Errorf("%s is still %q", name, v)
			}
		}
	})
}

// TestStartScreenTakesALine: what an action needs is typed on the screen, also
// on a small one; what is hidden never stands there; esc takes it back, and a
// paste types and sends nothing by itself.
func TestStartScreenTakesALine(t *testing.T) {
	const secret = "sk-ant-not-to-be-seen"
	for _, size := range [][2]int{{100, 30}, {60, 20}, {40, 12}, {24, 8}} {
		story := startStory()
		for i := range 9 {
			story.Can = append(story.Can, snap.Action{ID: fmt.Sprint("more", i), Key: fmt.Sprint(i), Title: fmt.Sprint("one more thing ", i)})
		}
		story.Can = append(story.Can, snap.Action{ID: "secret", Key: "s", Title: "Type a secret", Input: &snap.Input{Label: "key:", Hidden: true}})
		tuitest.Bubble(t, func(t *testing.T) {
			p := tuitest.Open(t, size[0], size[1], tui.Options{Start: &story, Refresh: func() snap.Start { return story }})
			p.Keys("s")
			p.Send(termtest.Paste(secret[:8] + "\n"))
			p.Type(secret[8:] + "d?")
			p.Keys("backspace", "backspace")
			text := p.Screen.Text()
			if strings.Contains(text, "not-to-be") || strings.Contains(text, "sk-ant") || !strings.Contains(text, fmt.Sprintf("(not shown, %d", len(secret))) || p.Ended() {
				t.Errorf("%v:\n%s", size, text)
			}
			if !strings.Contains(text, "Type a sec") {
				t.Errorf("%v: the action it is for is not on the screen:\n%s", size, text)
			}
			p.Keys("esc", "enter", "enter")
			if text := p.Screen.Text(); !strings.Contains(text, "(not shown, 0") || p.Ended() {
				t.Errorf("%v: it was kept, or an empty line was taken:\n%s", size, text)
			}
			p.Keys("esc", "s")
			p.Type(secret)
			p.Keys("enter")
			p.Quit()
			if o := p.Outcome(); o.Chosen != "secret" || o.Text != secret {
				t.Errorf("%v: %+v", size, o)
			}
		})
	}
}

// TestWelcomeStaysBesideNotices: what to do first stands there until somebody
// says something, whatever the program itself has to say before.
func TestWelcomeStaysBesideNotices(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {60, 20}, {40, 12}} {
		s := tuitest.NewSession(opened(), event.Notice{Severity: "warn", Key: "x", Text: "one server was left out"}, event.Instructed{Files: []event.InstructionFile{{Path: "AGENTS.md"}}})
		tuitest.Play(t, size[0], size[1], tui.Options{Session: s}, func(p *tuitest.Program) {
			for _, want := range []string{"You are in", "one server was left out"} {
				if !strings.Contains(p.Screen.Text(), want) {
					t.Errorf("%v: %q is not there:\n%s", size, want, p.Screen.Text())
				}
			}
			if size[1] >= 20 && !strings.Contains(p.Screen.Text(), "AGENTS.md") {
				t.Errorf("%v: the note is not there:\n%s", size, p.Screen.Text())
			}
			s.Emit(event.TurnStarted{Turn: 1, Text: "go"})
			p.Wait(100 * time.Millisecond)
			if strings.Contains(p.Screen.Text(), "You are in") {
				t.Errorf("%v: it stays:\n%s", size, p.Screen.Text())
			}
		})
	}
}
