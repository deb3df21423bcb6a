package tui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// output collects what was printed.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// inLines runs lines mode with a session, and f types.
func inLines(t *testing.T, s *tuitest.Session, f func(typed func(string), wait func(), hangUp func())) string {
	t.Helper()
	var out output
	tuitest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		done := make(chan error, 1)
		n := 0
		go func() {
			_, err := tui.Run(context.Background(), tui.Options{
				Session: s, In: r, Out: &out, Env: []string{"TERM=dumb"},
				Code: func() string { n++; return fmt.Sprintf("cod%c", 'a'+n) },
			})
			done <- err
			_ = r.Close()
		}()
		wait := func() { time.Sleep(50 * time.Millisecond); synctest.Wait() }
		wait()
		f(func(line string) { _, _ = io.WriteString(w, line+"\n"); wait() }, wait, func() { _ = w.Close(); wait() })
		_ = w.Close()
		wait()
		s.End()
		if err := <-done; err != nil {
			t.Errorf("it ended with: %v", err)
		}
	})
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if !visible.Harmless(line) {
			t.Errorf("printed %q", line)
		}
	}
	return out.String()
}

// TestLinesTranscript: one prefixed line per event, and nothing else.
func TestLinesTranscript(t *testing.T) {
	s := tuitest.NewSession(opened())
	got := inLines(t, s, func(typed func(string), wait, _ func()) {
		typed("fix the tabs")
		s.Emit(finished()[1:]...)
		wait()
		s.Emit(event.Notice{Severity: "warn", Text: "model not reachable", Hint: "trying again"}, event.LevelChanged{From: "always_ask", To: "new_files_only"})
		wait()
	})
	golden(t, "lines", got)
}

// TestLinesOfTheWorld: what goes on besides talk, what can be taken back, what is
// remembered, the log and what went wrong.
func TestLinesOfTheWorld(t *testing.T) {
	s := tuitest.NewSession(opened())
	got := inLines(t, s, func(typed func(string), wait, _ func()) {
		s.Emit(world()[len(working()):]...)
		s.Emit(troubled()[len(working()):]...)
		s.Emit(event.Uncompacted{}, event.Nudged{Kind: "loop", Text: "you repeat yourself"}, event.WindowChanged{Why: "the grade fell"})
		wait()
		for _, line := range []string{"/policy", "/jobs", "/undo call 4", "/audit", "/trust soon", "/strict"} {
			typed(line)
		}
	})
	golden(t, "world-lines", regexp.MustCompile(`until \d\d:\d\d:\d\d`).ReplaceAllString(got, "until HH:MM:SS"))
}

// TestLinesAnswers: only a line with the question's code answers it.
func TestLinesAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		q     event.Question
		lines []string
		want  string
	}{
		{"allow", commandQuestion(), []string{"codb allow"}, "answer 1 "},
		{"deny", commandQuestion(), []string{"codb deny"}, "answer 0 "},
		{"reason", commandQuestion(), []string{"codb reason not now"}, "answer 0 not now"},
		{"without the code", commandQuestion(), []string{"allow", "y", "", "yes"}, "event.Submit{allow}; event.Submit{y}; event.Submit{yes}"},
		{"another code", commandQuestion(), []string{"coda allow"}, "event.Submit{coda allow}"},
		{"the code alone", commandQuestion(), []string{"codb"}, ""},
		{"nonsense", commandQuestion(), []string{"codb perhaps"}, ""},
		{"danger has its own code", dangerQuestion(), []string{"codb allow", "kwtz allow"}, "event.Submit{codb allow}; answer 1 kwtz"},
		{"keep", scopesQuestion(), []string{"codb keep 3", "codb keep 2"}, "answer 2 s2"},
		{"say", userQuestion(), []string{"codb allow", "codb say eight columns"}, "answer 3 eight columns"},
		{"unknown", unknownQuestion(), []string{"codb allow", "codb look"}, "event.Settle{q4 look}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tuitest.NewSession(opened(), event.TurnStarted{Turn: 1, Text: "go"})
			inLines(t, s, func(typed func(string), wait, _ func()) {
				s.Emit(asked(c.q)...)
				wait()
				for _, l := range c.lines {
					typed(l)
				}
				if got := commands(s); got != c.want {
					t.Errorf("the session was told %q, want %q", got, c.want)
				}
				s.Emit(event.QuestionClosed{ID: c.q.ID, How: "answered"}, event.TurnEnded{Status: "done"})
				wait()
			})
		})
	}
}

// TestLinesWithNobody: the end of the input denies what is asked, and ends the
// program after the turn.
func TestLinesWithNobody(t *testing.T) {
	s := tuitest.NewSession(opened())
	s.On = func(c event.Command) []event.Body {
		switch c.(type) {
		case event.Submit:
			return append([]event.Body{event.TurnStarted{Turn: 1, Text: "go"}}, asked(commandQuestion())...)
		case event.Answer:
			return []event.Body{event.QuestionClosed{ID: commandQuestion().ID, How: "answered", Said: "denied"}, event.TurnEnded{Status: "done"}}
		}
		return nil
	}
	inLines(t, s, func(typed func(string), wait, hangUp func()) {
		typed("do it")
		hangUp()
		if a := s.Answers(); len(a) != 1 || a[0].Choice != event.Deny || a[0].Reason == "" {
			t.Errorf("answers %v", a)
		}
	})
}

func TestLinesRaise(t *testing.T) {
	s := tuitest.NewSession(opened())
	inLines(t, s, func(typed func(string), wait, _ func()) {
		typed("/level never_ask")
		typed("raise")
		typed("codb raise")
		typed("codb raise")
		typed("/level always_ask")
		typed("/model ollama llama3")
		typed("/nothing")
	})
	want := "event.Submit{raise}; level never_ask; event.Submit{codb raise}; level always_ask; event.SetModel{ollama llama3}"
	if d := cmp.Diff(want, commands(s)); d != "" {
		t.Error(d)
	}
}

func TestLinesHostileText(t *testing.T) {
	for _, h := range hostile {
		s := tuitest.NewSession(opened())
		inLines(t, s, func(_ func(string), wait, _ func()) {
			s.Emit(tuitest.EveryBody(h)...)
			wait()
		})
	}
}

func TestStartInLines(t *testing.T) {
	var out output
	story := startStory()
	if _, err := tui.Run(context.Background(), tui.Options{Start: &story, In: strings.NewReader(""), Out: &out}); err != nil {
		t.Fatal(err)
	}
	golden(t, "start-lines", out.String())
}
