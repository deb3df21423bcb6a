package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
)

var twoFiles = []step{
	{Say: "x", Calls: []call{
		{"write_file", map[string]any{"path": "one.txt", "content": "1"}},
		{"write_file", map[string]any{"path": "two.txt", "content": "2"}},
	}},
	{Say: "done"},
}

// TestCancelAtEachStep stops the turn at every step of the first call's road:
// the turn ends as cancelled, every call has a result, and nothing is done that
// is said not to have been done.
func TestCancelAtEachStep(t *testing.T) {
	for _, at := range []string{"question", "started", "decided", "intent", "recheck", "ran", "outcome"} {
		t.Run(at, func(t *testing.T) {
			var r *rig
			cancel := func() {
				if err := r.session.Send(event.Cancel{}); err != nil {
					t.Error(err)
				}
				_, _ = r.session.State() // the command was heard
			}
			r = newRig(t, twoFiles, func(o *Options) {
				o.Step = func(s string) {
					if s == at {
						cancel()
					}
				}
			})
			r.person = func(event.Question) event.Answer {
				if at == "question" {
					cancel()
				}
				return event.Answer{Choice: event.Once}
			}
			r.start("")
			end := r.turn("go")
			r.stop()
			if end.Status != "cancelled" || end.Code != codeCancelled {
				t.Errorf("end = %+v", end)
			}
			results := r.results()
			if len(results) != 2 {
				t.Fatalf("%d results of two calls", len(results))
			}
			if done := r.read("one.txt") != ""; done != (results[0].Status == "ok") || results[1].Status != "cancelled" || r.read("two.txt") != "" {
				t.Errorf("done: %v, said: %s, %s", done, results[0].Status, results[1].Status)
			}
			r.verify()
		})
	}
}

// TestCloseEndsEverything closes a session with an open question and a queued
// message: nothing of the queue begins, and closing again is harmless.
func TestCloseEndsEverything(t *testing.T) {
	r := newRig(t, twoFiles, nil)
	r.start("")
	_, live, cancel, err := r.session.Subscribe(0)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	send := func(text string) error { return r.session.Send(event.Submit{Text: text}) }
	if err := send("go"); err != nil {
		t.Fatal(err)
	}
	for e := range live {
		if _, ok := e.Body.(event.QuestionOpened); ok {
			break
		}
	}
	if err := send("queued"); err != nil {
		t.Fatal(err)
	}
	go func() { // a front end that does not know yet
		for send("more") == nil {
		}
	}()
	closed := make(chan error, 1)
	go func() { closed <- r.session.Close(audit.CloseOK) }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close does not return")
	}
	if err := r.session.Close(audit.CloseOK); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	events, err := r.opts.Store.Read(r.opts.Log.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if b, ok := e.Body.(event.TurnStarted); ok && b.Text != "go" {
			t.Errorf("a turn began with %q", b.Text)
		}
	}
	if err := r.session.Send(event.Cancel{}); err == nil {
		t.Error("a closed session takes commands")
	}
}

// TestALongQuestionIsNone asks for a change that nobody could review.
func TestALongQuestionIsNone(t *testing.T) {
	r := newRig(t, []step{
		{Say: "x", Calls: []call{{"read_file", map[string]any{"path": "long.txt"}}}},
		{Say: "x", Calls: []call{{"str_replace", map[string]any{"path": "long.txt", "old_str": "a\n", "new_str": "b\n", "replace_all": true}}}},
		{Say: "done"},
	}, nil)
	r.write("long.txt", strings.Repeat("a\n", 200_000))
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	res := r.results()[1]
	if res.Status != "blocked" || !strings.Contains(res.Body, "smaller parts") || strings.Contains(r.read("long.txt"), "b") {
		t.Errorf("%s: %.300s", res.Status, res.Body)
	}
	if _, err := r.opts.Store.Read(r.opts.Log.ID()); err != nil {
		t.Errorf("the log cannot be read again: %v", err)
	}
}

// TestOutputIsToldNowAndThen runs a command with very many small pieces of
// output.
func TestOutputIsToldNowAndThen(t *testing.T) {
	r := newRig(t, []step{{Say: "x", Calls: []call{{"execute_command", map[string]any{"command": "for i in $(seq 20000); do echo $i; done"}}}}, {Say: "done"}}, nil)
	r.person = yes
	r.start("")
	began := time.Now()
	r.turn("go")
	most := int(time.Since(began)/frameTime) + 3
	r.stop()
	var told strings.Builder
	pieces := 0
	for _, e := range r.events {
		if b, ok := e.Body.(event.OutputDelta); ok {
			pieces++
			told.WriteString(b.Text)
		}
	}
	if pieces > most || !strings.HasPrefix(told.String(), "1\n2\n3\n") {
		t.Errorf("%d pieces, at most %d wanted; begins %.20q", pieces, most, told.String())
	}
}
