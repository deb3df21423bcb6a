package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// openQuestion is the question before the person, and who waits for it.
type openQuestion struct {
	event.Question
	answer chan reply // holds one
}

// errReloaded says that the policy was read again while the question was open:
// its approval died with it.
var errReloaded = errors.New("the policy was read again")

// A reply is what came of a question that was not withdrawn: an answer, or the
// wish for another version of the proposal.
type reply struct {
	event.Answer
	revise *event.Revise
	reload bool // the policy was read again
}

// ask puts a question and waits for its answer, its deadline, the end of ctx,
// or until stale says that the question is no longer the right one. Only an
// answer that names the question, its digest and its very lines comes back;
// everything else is an error, and errors deny.
func (w *owner) ask(ctx context.Context, q event.Question, stale <-chan struct{}) (reply, error) {
	open := &openQuestion{Question: q, answer: make(chan reply, 1)}
	var err error
	doErr := w.do(func(o *owned) {
		if o.question != nil {
			err = errors.New("another question is open")
			return
		}
		if err = o.emit(event.QuestionOpened{Question: q}); err == nil {
			o.question = open
		}
	})
	if err = errors.Join(doErr, err); err != nil {
		return reply{}, err
	}
	timer := time.NewTimer(q.Deadline.Sub(q.Opened))
	defer timer.Stop()
	select {
	case a := <-open.answer:
		if a.reload {
			return a, errReloaded
		}
		return a, nil
	case <-timer.C:
		return w.withdraw(open, "timeout", errTimeout)
	case <-stale:
		return w.withdraw(open, "revised", errStale)
	case <-ctx.Done():
		return w.withdraw(open, "cancelled", ctx.Err())
	case <-w.done:
		return reply{}, errEnded
	}
}

// errTimeout says that nobody answered in time; errStale, that the world is
// another one than the question shows.
var (
	errTimeout = errors.New("no answer in time")
	errStale   = errors.New("the question is no longer the right one")
)

// withdraw closes the question, unless its answer came first.
func (w *owner) withdraw(open *openQuestion, how string, why error) (reply, error) {
	err := w.do(func(o *owned) {
		if o.question == open {
			o.closeQuestion(how, nil)
		}
	})
	select {
	case a := <-open.answer:
		if a.reload {
			return a, errReloaded
		}
		if errors.Is(why, errTimeout) || errors.Is(why, errStale) {
			return a, nil // what it does not fit any more is found out at the recheck
		}
	default:
	}
	return reply{}, errors.Join(why, err)
}

// answer takes a front end's answer, once, if it fits the open question.
func (o *owned) answer(a event.Answer) {
	q := o.question
	if q == nil || q.Kind == event.AskUnknown || a.Question != q.ID || a.Digest != q.Digest || a.LinesHash != q.LinesHash {
		return
	}
	if a.Choice != event.Deny && q.Danger && (a.Code == "" || a.Code != q.Code) {
		return
	}
	if a.Choice == event.Keep && !offers(q.Question, a.Scope) {
		return
	}
	if (a.Choice == event.Say) != (q.Kind == event.AskUser) && a.Choice != event.Deny {
		return
	}
	if a.Choice == event.Say && len(q.Form) > 0 && event.CheckForm(q.Form, a.Form) != nil {
		return
	}
	q.answer <- reply{Answer: a}
	o.closeQuestion("answered", &a)
}

// revise takes a front end's wish for another version of the open question,
// once, and closes it: its yes is gone, whatever comes of the wish.
func (o *owned) revise(r event.Revise) {
	q := o.question
	if q == nil || !q.Revisable || r.Question != q.ID || r.Digest != q.Digest || len(r.Files) == 0 {
		return
	}
	q.answer <- reply{revise: &r}
	o.closeQuestion("revised", nil)
}

// void closes an open question about a call because the policy is another one:
// it is asked anew, if it still has to be.
func (o *owned) void() {
	o.epoch++
	if q := o.question; q != nil && q.Kind != event.AskUser && q.Kind != event.AskUnknown {
		q.answer <- reply{reload: true}
		o.closeQuestion("revised", nil)
	}
}

func offers(q event.Question, scope string) bool {
	return slices.ContainsFunc(q.Scopes, func(s event.Scope) bool { return s.ID == scope })
}

func (o *owned) closeQuestion(how string, a *event.Answer) {
	if o.question == nil {
		return
	}
	said := "denied"
	switch {
	case a != nil && (a.Choice == event.Once || a.Choice == event.Keep || a.Choice == event.Say):
		said = "approved"
	case o.question.Kind == event.AskUnknown, how == "revised":
		said = ""
	}
	id := o.question.ID
	o.question = nil
	_ = o.emit(event.QuestionClosed{ID: id, How: how, Said: said}) // a broken log shows in whoever waits next
}
