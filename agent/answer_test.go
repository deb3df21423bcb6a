package agent

import (
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestOnlyTheFittingAnswerCounts sends every yes that does not fit, and then
// the no that does. The first question is said yes to, so that its answer can
// be played again for the second.
func TestOnlyTheFittingAnswerCounts(t *testing.T) {
	r := newRig(t, twoFiles, nil)
	var first event.Answer
	r.person = func(q event.Question) event.Answer {
		right := event.Answer{Question: q.ID, Digest: q.Digest, LinesHash: q.LinesHash, Choice: event.Once}
		if first.Question == "" {
			first = right
			for _, a := range []event.Answer{right, right, right} { // taken once
				if err := r.session.Send(a); err != nil {
					t.Error(err)
				}
			}
			return event.Answer{Choice: event.Deny} // too late
		}
		for _, spoil := range []func(*event.Answer){
			func(a *event.Answer) { *a = first },
			func(a *event.Answer) { *a = event.Answer{Choice: event.Once} },
			func(a *event.Answer) { a.Question = first.Question },
			func(a *event.Answer) { a.Digest = first.Digest },
			func(a *event.Answer) { a.LinesHash = first.LinesHash },
			func(a *event.Answer) { a.LinesHash = event.HashLines(q.Lines[1:]) },
			func(a *event.Answer) { a.Choice, a.Scope = event.Keep, "no such scope" },
			func(a *event.Answer) { a.Choice, a.Text = event.Say, "yes" },
		} {
			a := right
			spoil(&a)
			if err := r.session.Send(a); err != nil {
				t.Error(err)
			}
		}
		return event.Answer{Choice: event.Deny}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if r.read("one.txt") == "" || r.read("two.txt") != "" {
		t.Errorf("one.txt = %q, two.txt = %q", r.read("one.txt"), r.read("two.txt"))
	}
	said := map[string]string{}
	for _, e := range r.events {
		if b, ok := e.Body.(event.QuestionClosed); ok {
			said[b.ID] = b.Said
		}
	}
	if len(said) != 2 || said[first.Question] != "approved" {
		t.Errorf("questions were closed as %v", said)
	}
	r.verify()
}
