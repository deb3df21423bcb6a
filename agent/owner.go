package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// An owner is the one goroutine that holds a session's state. Everybody else
// sends it functions; it runs them one after the other.
type owner struct {
	inbox chan func(*owned)
	done  chan struct{} // closed when the goroutine has ended
}

// owned is what only the owner's goroutine touches.
type owned struct {
	now    func() time.Time
	redact func(event.Body) event.Body
	log    *session.Log
	read   func() ([]event.Event, error) // the stored events, for a late subscriber
	state  session.State
	err    error // of the log: sticky

	limits      gate.Limits  // what the person set; Taint stands in state, Window in window
	kept        []gate.Offer // what was remembered for this session alone
	window      openWindow
	windows     int  // counts them, so that the timer of an old one ends no new one
	epoch       int  // counts the policies: an approval of an earlier one is void
	canAsk      bool // somebody can answer questions
	optOut      bool // the opt-out of the launch is in force
	subscribers map[*subscriber]bool
	queue       []saying
	compact     *event.Compact // the person wants one before the next request
	interjected []string       // joins the running turn after its present call
	mind        mind
	busy        bool   // a turn runs
	cancel      func() // stops the running turn; nil when none runs
	stopped     bool   // the turn that is about to run was stopped before it ran
	question    *openQuestion
	unknown     []event.CallStarted // calls of a crash that the person has not spoken about
	working     event.Working
	closing     bool // no further turn begins
	offers      []event.SlashCommand
	quit        bool
}

// errEnded says that the session's goroutine is gone.
var errEnded = errors.New("the session has ended")

func newOwner(o *owned) *owner {
	w := &owner{inbox: make(chan func(*owned)), done: make(chan struct{})}
	o.subscribers = map[*subscriber]bool{}
	go w.loop(o)
	return w
}

func (w *owner) loop(o *owned) {
	defer close(w.done)
	for !o.quit {
		(<-w.inbox)(o)
	}
	o.closeQuestion("died", nil)
	for s := range o.subscribers {
		close(s.events)
	}
}

// do runs f in the owner's goroutine and waits until it has run.
func (w *owner) do(f func(*owned)) error {
	ran := make(chan struct{})
	select {
	case w.inbox <- func(o *owned) { f(o); close(ran) }:
		<-ran
		return nil
	case <-w.done:
		return errEnded
	}
}

// post runs f in the owner's goroutine, later.
func (w *owner) post(f func(*owned)) error {
	select {
	case w.inbox <- f:
		return nil
	case <-w.done:
		return errEnded
	}
}

// emit appends events, applies them and tells the subscribers. An error means
// that the log takes nothing more.
func (w *owner) emit(bodies ...event.Body) error {
	var err error
	return errors.Join(w.do(func(o *owned) { err = o.emit(bodies...) }), err)
}

// barrier makes what was emitted durable.
func (w *owner) barrier() error {
	var err error
	return errors.Join(w.do(func(o *owned) { err = o.log.Sync() }), err)
}

// state is the state as it is now.
func (w *owner) state() (session.State, error) {
	var s session.State
	err := w.do(func(o *owned) { s = o.state })
	return s, err
}

func (o *owned) emit(bodies ...event.Body) error {
	if o.err != nil {
		return o.err
	}
	clean := make([]event.Body, len(bodies))
	for i, body := range bodies {
		clean[i] = o.redact(body)
	}
	events, err := o.log.Append(o.now(), clean...)
	if err != nil {
		o.err = err
		o.fanOut(event.Event{Time: o.now(), Session: o.log.ID(), Body: event.AuditHead{Broken: err.Error()}})
		return err
	}
	for i, e := range events {
		o.state = session.Apply(o.state, e)
		if w, ok := e.Body.(event.Working); ok {
			o.working = w
		}
		switch b := bodies[i].(type) {
		case event.QuestionOpened, event.CallPreview:
			e.Body = b // stored masked, asked whole: nothing that is approved hides behind a mask
		}
		o.fanOut(e)
	}
	return nil
}

// endTurn tells how a turn ended. Front ends wait for that word, so they hear it
// also when the log takes nothing more.
func (o *owned) endTurn(end event.TurnEnded) {
	if err := errors.Join(o.emit(event.Working{}, end), o.log.Sync()); err != nil {
		o.fanOut(event.Event{Time: o.now(), Session: o.log.ID(), Body: o.redact(end)})
	}
}

// A subscriber gets every event. One that does not read is cut off, and asks
// for the events that it missed.
type subscriber struct{ events chan event.Event }

// subscriberRoom is how far a front end may fall behind, in events.
const subscriberRoom = 4096

func (o *owned) fanOut(e event.Event) {
	for s := range o.subscribers {
		select {
		case s.events <- e:
		default:
			close(s.events)
			delete(o.subscribers, s)
		}
	}
}

// Subscribe returns the stored events after seq and a channel with those that
// follow. The channel is closed when the session ends, and when the caller
// reads too slowly: then he subscribes again with the last number he saw.
func (w *owner) Subscribe(seq uint64) (backlog []event.Event, live <-chan event.Event, cancel func(), err error) {
	s := &subscriber{events: make(chan event.Event, subscriberRoom)}
	doErr := w.do(func(o *owned) {
		var all []event.Event
		if all, err = o.read(); err != nil {
			return
		}
		backlog = all[min(seq, uint64(len(all))):]
		for i, e := range backlog {
			if b, ok := e.Body.(event.QuestionOpened); ok && o.question != nil && b.Question.ID == o.question.ID {
				backlog[i].Body = event.QuestionOpened{Question: o.question.Question}
			}
		}
		for _, body := range []event.Body{o.working, event.Queued{Texts: o.waiting()}, event.Offered{Commands: o.offers}} {
			s.events <- event.Event{Time: o.now(), Session: o.log.ID(), Body: body}
		}
		o.subscribers[s] = true
	})
	if err = errors.Join(doErr, err); err != nil {
		return nil, nil, nil, fmt.Errorf("events of the session: %w", err)
	}
	cancel = func() {
		_ = w.post(func(o *owned) { // an ended session has closed the channel already
			if o.subscribers[s] {
				delete(o.subscribers, s)
				close(s.events)
			}
		})
	}
	return backlog, s.events, cancel, nil
}

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
