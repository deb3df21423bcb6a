package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// TestNoKeyOfAListAnswers: a question that comes while a list is open is not
// answered by what is pressed there.
func TestNoKeyOfAListAnswers(t *testing.T) {
	delays := []time.Duration{0, 200, 400, 1000, 2000}
	if raceDetector {
		delays = []time.Duration{400, 1000}
	}
	for _, open := range []string{"ctrl+k", "ctrl+s", "ctrl+s n", "ctrl+z", "ctrl+z enter", "f3", "f2", "f1", "ctrl+g", "ctrl+g up w", "ctrl+g /", "shift+up", "shift+up /", "/jobs", "/policy", "/doctor"} {
		for _, delay := range delays {
			s := tuitest.NewSession(finished()...)
			s.On = undoPoints
			tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk(), Log: newLog()}, func(p *tuitest.Program) {
				if open[0] == '/' {
					p.Type(open)
					p.Keys("enter")
				} else {
					p.Keys(strings.Fields(open)...)
				}
				s.Emit(asked(commandQuestion())...)
				p.Wait(delay * time.Millisecond)
				for _, k := range []string{"a", "x", "r", "enter", "space", "y", "a"} {
					p.Keys(k)
					p.Wait(300 * time.Millisecond)
				}
				if n := len(s.Answers()); n > 0 {
					t.Errorf("%s, then %v: %d answers\n%s", open, delay, n, p.Screen.Text())
				}
			})
		}
	}
}

// TestQuestionOverAList: a question takes the focus by itself over a list whose
// keyboard was quiet, arms as late, and leaves the list as it was; not while
// something is written there.
func TestQuestionOverAList(t *testing.T) {
	for _, c := range []struct{ open, shows string }{
		{"ctrl+k", "what to do"}, {"ctrl+s", "sessions"}, {"ctrl+z", "undo"}, {"f3", "models"}, {"f2", "the conversation"}, {"f1", "Anywhere"}, {"ctrl+g", "activity"}, {"shift+up", "back to the message"},
	} {
		s := tuitest.NewSession(finished()...)
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk(), Log: &fakeLog{}}, func(p *tuitest.Program) {
			p.Keys(c.open)
			p.Wait(time.Second)
			s.Emit(asked(commandQuestion())...)
			p.Wait(400 * time.Millisecond)
			if strings.Contains(p.Screen.Text(), "allow once") {
				t.Errorf("%s: it came too early", c.open)
			}
			p.Wait(700 * time.Millisecond)
			if !strings.Contains(p.Screen.Text(), "allow once") {
				t.Errorf("%s: it did not come\n%s", c.open, p.Screen.Text())
			}
			p.Keys("a")
			p.Wait(2 * time.Second)
			if len(s.Answers()) > 0 {
				t.Errorf("%s: half a second after it came over the list it was answered", c.open)
			}
			p.Keys("a")
			p.Wait(time.Second)
			if len(s.Answers()) != 1 {
				t.Errorf("%s: %d answers\n%s", c.open, len(s.Answers()), p.Screen.Text())
			}
			s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "answered", Said: "approved"})
			p.Wait(time.Second)
			if !strings.Contains(p.Screen.Text(), c.shows) {
				t.Errorf("%s: the list is gone\n%s", c.open, p.Screen.Text())
			}
		})
	}
	for _, keys := range [][]string{{"ctrl+k", "u"}, {"ctrl+s", "/", "t"}, {"ctrl+s", "n"}, {"f3", "q"}, {"ctrl+g", "/", "a"}} {
		s := tuitest.NewSession(finished()...)
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk(), Log: &fakeLog{}}, func(p *tuitest.Program) {
			p.Keys(keys...)
			s.Emit(asked(commandQuestion())...)
			p.Wait(5 * time.Second)
			if text := p.Screen.Text(); strings.Contains(text, "allow once") || !strings.Contains(text, "ctrl+p") {
				t.Errorf("%v: it came while something was written\n%s", keys, text)
			}
			p.Keys("ctrl+p")
			p.Wait(time.Second)
			if !strings.Contains(p.Screen.Text(), "allow once") {
				t.Errorf("%v: ctrl+p did not show it\n%s", keys, p.Screen.Text())
			}
		})
	}
}

// TestStoppingAJob says which.
func TestStoppingAJob(t *testing.T) {
	s := tuitest.NewSession(append(finished(), event.JobChanged{Job: "j7", Title: "run npm run dev", Status: "running"})...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		p.Type("/jobs")
		p.Keys("enter", "x")
		if got := commands(s); got != "event.StopJob{j7}" || !strings.Contains(p.Screen.Text(), "npm run dev") {
			t.Errorf("told %q:\n%s", got, p.Screen.Text())
		}
	})
}
