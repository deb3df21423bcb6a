package agent

import (
	"errors"
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
	chronicle
	rights
	labour
	audience
	mind mind
	quit bool
}

// chronicle is the session's log, and what has come of it.
type chronicle struct {
	now    func() time.Time
	redact func(event.Body) event.Body
	log    *session.Log
	read   func() ([]event.Event, error) // the stored events, for a late subscriber
	early  []event.Event                 // those of a session that goes on, for the first one: they are in memory once
	state  session.State
	err    error // of the log: sticky
}

// rights are what may be done at present, and who says so.
type rights struct {
	limits  gate.Limits  // what the person set; Taint stands in state, Window in window
	kept    []gate.Offer // what was remembered for this session alone
	window  openWindow
	windows int  // counts them, so that the timer of an old one ends no new one
	epoch   int  // counts the policies: an approval of an earlier one is void
	canAsk  bool // somebody can answer questions
	optOut  bool // the opt-out of the launch is in force
}

// labour is what the worker does, and what waits for it.
type labour struct {
	busy        bool   // it has a task
	cancel      func() // stops the running turn; nil when none runs
	stopped     bool   // the task that is about to run was stopped before it ran
	closing     bool   // no further turn begins
	queue       []saying
	interjected []string       // joins the running turn after its present call
	compact     *event.Compact // the person wants one before the next request
	putOff      []func(*owned) // see later
}

// audience is who looks on, and what stands before them.
type audience struct {
	subscribers map[*subscriber]bool
	question    *openQuestion
	unknown     []event.CallStarted // calls of a crash that the person has not spoken about
	working     event.Working
	offers      []event.SlashCommand
}

// errEnded says that the session's goroutine is gone.
var errEnded = errors.New("the session has ended")

func newOwner(o *owned) *owner {
	w := &owner{inbox: make(chan func(*owned)), done: make(chan struct{})}
	o.subscribers = map[*subscriber]bool{}
	go w.loop(o) // Close waits for it
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
		if o.early != nil {
			o.early = append(o.early, e)
		}
		if w, ok := e.Body.(event.Working); ok {
			o.working = w
		}
		switch b := bodies[i].(type) {
		case event.QuestionOpened, event.CallPreview:
			e.Body = b // stored masked, asked whole: nothing that is approved hides behind a mask
		}
		o.fanOut(e)
	}
	if slices.ContainsFunc(bodies, func(b event.Body) bool { _, begun := b.(event.TurnStarted); return begun }) {
		o.goOn()
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
