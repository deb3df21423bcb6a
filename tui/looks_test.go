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
	for _, open := range []string{"ctrl+k", "ctrl+s", "ctrl+z", "f3", "f2", "f1"} {
		for _, delay := range []time.Duration{0, 200, 400, 1000, 2000} {
			s := tuitest.NewSession(finished()...)
			tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
				p.Keys(open)
				s.Emit(asked(commandQuestion())...)
				p.Wait(delay * time.Millisecond)
				for _, k := range []string{"a", "x", "r", "enter", "space", "y", "a"} {
					p.Keys(k)
					p.Wait(300 * time.Millisecond)
				}
				if n := len(s.Answers()); n > 0 {
					t.Errorf("%s, then %v: %d answers", open, delay, n)
				}
			})
		}
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
