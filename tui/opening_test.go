package tui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// shows checks what is on the screen, and what is not.
func shows(t *testing.T, p *tuitest.Program, want bool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(p.Screen.Text(), text) != want {
			t.Errorf("shows %q: want %v\n%s", text, want, p.Screen.Text())
		}
	}
}

// waited is a session that takes its time to open.
type waited struct {
	*tuitest.Session
	open chan struct{}
	err  error
}

func (s waited) Send(c event.Command) error {
	<-s.open
	return s.Session.Send(c)
}

func (s waited) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	<-s.open
	if s.err != nil {
		return nil, nil, nil, s.err
	}
	return s.Session.Subscribe(seq)
}

// TestTheScreenComesBeforeTheSession: what is known is shown, nothing that is
// not, and what is typed meanwhile is kept and sent.
func TestTheScreenComesBeforeTheSession(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		s := waited{Session: tuitest.NewSession(opened()), open: make(chan struct{})}
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s, First: event.Opened{Root: "/home/me/proj", Level: "always_ask", Sandbox: "auto ?", Network: "off"}})
		p.Wait(time.Second)
		shows(t, p, true, "opening the session ...", "[=] always_ask   box ...", "proj")
		shows(t, p, false, "$0.00", "log new", "box A")
		p.Type("fix the bug")
		p.Keys("enter")
		p.Wait(time.Second)
		if got := s.Commands(); len(got) != 0 {
			t.Fatalf("sent before there is a session: %v", got)
		}
		close(s.open)
		p.Wait(time.Second)
		shows(t, p, false, "opening the session", "box ...")
		shows(t, p, true, "box A")
		if got := s.Commands(); len(got) != 1 || got[0].(event.Submit).Text != "fix the bug" {
			t.Fatalf("sent: %v", got)
		}
		p.Quit()
	})
}

// TestASessionThatDoesNotOpen ends the screen, with the cause.
func TestASessionThatDoesNotOpen(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		cause := errors.New("the log cannot be written")
		s := waited{Session: tuitest.NewSession(), open: make(chan struct{}), err: cause}
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		p.Wait(time.Second)
		close(s.open)
		if err := p.Err(); !errors.Is(err, cause) {
			t.Fatalf("ended with %v", err)
		}
	})
}

// TestTypedForAnotherSession: what was typed before the screen was there, and
// what follows without a pause, is dropped; nothing of it is sent.
func TestTypedForAnotherSession(t *testing.T) {
	for _, late := range []bool{true, false} {
		s := tuitest.NewSession(finished()...)
		tuitest.Bubble(t, func(t *testing.T) {
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s, Late: late, Says: "that session was not opened: why"})
			for _, k := range []string{"g", "o", "enter", "y", "e", "s", "enter"} {
				p.Send(termtest.Key(k))
				p.Wait(100 * ms)
			}
			if told := commands(s); (told == "") != late {
				t.Errorf("late %v: told %q", late, told)
			}
			if says := strings.Contains(p.Screen.Text(), "was not opened: why"); says != late {
				t.Errorf("late %v: it is said %v\n%s", late, says, p.Screen.Text())
			}
			p.Wait(500 * ms)
			for _, k := range []string{"n", "o", "w"} {
				p.Send(termtest.Key(k))
				p.Wait(100 * ms)
			}
			if !strings.Contains(p.Screen.Text(), "> now") {
				t.Errorf("late %v: what is typed after a pause is not there\n%s", late, p.Screen.Text())
			}
			p.Quit()
		})
	}
}
