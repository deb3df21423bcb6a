package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// Session is what a call needs of a session.
type Session interface {
	Send(event.Command) error
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
	State() (session.State, error)
}

// A Caller makes calls in a session whose model is a relay.
type Caller struct {
	Session Session
	Hand    func(tool string, args json.RawMessage) // gives the relay its next call
	// Answer answers a question. nil says no to all.
	Answer func(event.Question) event.Answer
}

// An Outcome is what came of one call.
type Outcome struct {
	Result  event.CallResult
	Decided event.CallDecided // the zero value when there was nothing to decide about
}

// errEnded says that a session has ended.
var errEnded = errors.New("the session has ended")

// Call makes one call and waits for its end. It is not for several goroutines
// at once. When ctx ends, the call is stopped first.
func (c Caller) Call(ctx context.Context, tool string, args json.RawMessage) (Outcome, error) {
	var out Outcome
	state, err := c.Session.State()
	if err != nil {
		return out, err
	}
	c.Hand(tool, args)
	first, last := true, state.Seq
	for {
		backlog, live, stop, err := c.Session.Subscribe(last)
		if err != nil {
			return out, err
		}
		if first {
			first = false
			if err := c.Session.Send(event.Submit{Text: "call " + tool}); err != nil {
				stop()
				return out, err
			}
		}
		done, err := c.follow(ctx, backlog, live, &last, &out)
		stop()
		if done || err != nil {
			return out, err
		}
	}
}

// follow reads events until the turn has ended, or until it fell behind.
func (c Caller) follow(ctx context.Context, backlog []event.Event, live <-chan event.Event, last *uint64, out *Outcome) (done bool, err error) {
	for _, e := range backlog {
		if done, err := c.take(e, last, out); done || err != nil {
			return done, err
		}
	}
	stop := ctx.Done()
	for {
		select {
		case <-stop:
			stop = nil // the turn still ends
			if err := c.Session.Send(event.Cancel{}); err != nil {
				return true, err
			}
		case e, ok := <-live:
			if !ok {
				if _, err := c.Session.State(); err != nil {
					return true, errEnded
				}
				return false, nil
			}
			if done, err := c.take(e, last, out); done || err != nil {
				return done, err
			}
		}
	}
}

func (c Caller) take(e event.Event, last *uint64, out *Outcome) (done bool, err error) {
	if e.Seq > 0 {
		*last = e.Seq
	}
	switch b := e.Body.(type) {
	case event.CallDecided:
		out.Decided = b
	case event.CallResult:
		out.Result = b
	case event.QuestionOpened:
		a := event.Answer{Question: b.Question.ID, Digest: b.Question.Digest, LinesHash: b.Question.LinesHash}
		if c.Answer != nil {
			a = c.Answer(b.Question)
		}
		return false, c.Session.Send(a)
	case event.TurnEnded:
		return true, nil
	}
	return false, nil
}
