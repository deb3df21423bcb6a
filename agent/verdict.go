package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/audit"
)

// answerTime is how long a question waits for its answer.
const answerTime = 300 * time.Second

// maxQuestion is the size of the longest question, in bytes of its lines as
// JSON. A longer one would not be read, and could not be kept in the log.
const maxQuestion = 8 << 20

// An unfitError says that a call no longer fits the world that the person was
// asked about.
type unfitError struct{ error }

func (e *unfitError) Unwrap() error { return e.error }

// tooLong is why nobody is asked a question of so many bytes.
func tooLong(n int) string {
	return fmt.Sprintf("a question of %s is more than a person can review and the log keeps (%s): do it in smaller parts", size(int64(n)), size(maxQuestion))
}

// settled brings a proposal to its verdict: the third step, as often as the
// person revises it or the world changes beneath the question.
func (d *Dispatcher) settled(ctx context.Context, p proposal) (proposal, verdict, error) {
	for aid := p.aid; ; {
		p.aid = aid
		if err := d.owner.emit(d.startedEvents(p)...); err != nil {
			return p, verdict{}, err
		}
		d.step("started")
		v, again, err := d.decide(ctx, p)
		if err != nil || again == nil {
			return p, v, err
		}
		if p, err = again(); err != nil {
			return p, verdict{}, err
		}
	}
}

// decide says yes or no; what the gate left open is asked, and everything but a
// fitting yes is no. again makes the proposal that is to be decided about
// instead; nil where there is none. The error means that the session cannot go
// on.
func (d *Dispatcher) decide(ctx context.Context, p proposal) (v verdict, again func() (proposal, error), err error) {
	if v, err := d.rejected(p); err != nil || v.decision != "" {
		return v, nil, err
	}
	dec := p.decision
	switch {
	case p.nothing(), dec.Answer == gate.Ask, dec.Answer == gate.Allow && (p.revision != nil || p.resolves()):
		return d.put(ctx, p)
	case dec.Answer == gate.Allow:
		return verdict{decision: audit.Allowed, by: audit.By(dec.By), reason: dec.Reason}, nil, nil
	default:
		if audit.By(dec.By) == audit.ByHeadless {
			return verdict{decision: audit.Denied, by: audit.ByHeadless, reason: dec.Reason}, nil, nil
		}
		return verdict{decision: audit.Blocked, by: audit.By(dec.By), reason: dec.Reason}, nil, nil
	}
}

// resolves says that the person resolves a conflict of an undo where it can be
// shown: what would be written over somebody's text is asked about then, though
// it was the person who wanted it.
func (p proposal) resolves() bool {
	return p.input.Typed && p.input.CanAsk && p.input.Interactive && len(undoNote(p.set).Resolved) > 0
}

// put asks the person.
func (d *Dispatcher) put(ctx context.Context, p proposal) (verdict, func() (proposal, error), error) {
	q, err := d.question(p)
	if err != nil {
		return verdict{}, nil, err
	}
	lines := linesBytes(q.Lines)
	if len(lines) > maxQuestion {
		return verdict{decision: audit.Blocked, by: audit.ByFloor, reason: tooLong(len(lines))}, nil, nil
	}
	watched, stop := d.watch(ctx, p)
	a, err := d.asks.ask(ctx, q, watched)
	stop()
	asked := &audit.Asked{Question: q.ID, Lines: lines, Took: time.Duration(a.Millis) * time.Millisecond, Unfenced: a.Unfenced}
	switch {
	case errors.Is(err, errReloaded):
		return verdict{}, func() (proposal, error) { return d.anew(ctx, p) }, nil
	case errors.Is(err, errStale):
		return verdict{}, func() (proposal, error) { return d.reloaded(ctx, p) }, nil
	case errors.Is(err, errTimeout):
		return verdict{decision: audit.Denied, by: audit.ByTimeout, reason: "nobody answered within " + answerTime.String(), asked: asked}, nil, nil
	case err != nil && ctx.Err() != nil:
		return verdict{decision: audit.Denied, by: audit.ByStopped, reason: "the turn was stopped while this was asked, and nobody answered", asked: asked}, nil, nil
	case err != nil:
		return verdict{}, nil, err
	case a.revise != nil:
		return verdict{}, func() (proposal, error) { return d.revised(ctx, p, *a.revise) }, nil
	}
	v, err := d.answered(ctx, p, a.Answer, asked)
	return v, nil, err
}

// answered makes a verdict of an answer.
func (d *Dispatcher) answered(ctx context.Context, p proposal, a event.Answer, asked *audit.Asked) (verdict, error) {
	by := audit.By(a.By)
	if by == "" {
		by = d.person()
	}
	switch {
	case p.nothing():
		return verdict{decision: audit.Denied, by: by, reason: cmp.Or(a.Reason, "the person left out all of it"), asked: asked}, d.reject(p, a.Reason)
	case a.Choice == event.Once:
		return verdict{decision: audit.Approved, by: by, asked: asked}, nil
	case a.Choice == event.Keep:
		return verdict{decision: audit.Approved, by: by, asked: asked}, d.remember(ctx, p, a.Scope, asked)
	default:
		return verdict{decision: audit.Denied, by: by, reason: cmp.Or(a.Reason, saidNo), asked: asked}, d.reject(p, a.Reason)
	}
}

// person is who answers on this front end.
func (d *Dispatcher) person() audit.By {
	switch d.front {
	case audit.FrontACP:
		return audit.ByACP
	case audit.FrontCLI:
		return audit.ByCLI
	case audit.FrontDemo:
		return audit.ByDemo
	default:
		return audit.ByTUI
	}
}
