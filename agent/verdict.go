package agent

import (
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

// decide is the third step: what the gate left open is asked, and everything
// but a fitting yes is no. The error means that the session cannot go on.
func (d *Dispatcher) decide(ctx context.Context, p proposal) (verdict, error) {
	dec := p.decision
	switch dec.Answer {
	case gate.Allow:
		return verdict{decision: audit.Allowed, by: audit.By(dec.By), reason: dec.Reason}, nil
	case gate.Ask:
		return d.put(ctx, p)
	default:
		if audit.By(dec.By) == audit.ByHeadless {
			return verdict{decision: audit.Denied, by: audit.ByHeadless, reason: dec.Reason}, nil
		}
		return verdict{decision: audit.Blocked, by: audit.By(dec.By), reason: dec.Reason}, nil
	}
}

// put asks the person.
func (d *Dispatcher) put(ctx context.Context, p proposal) (verdict, error) {
	q, err := d.question(p)
	if err != nil {
		return verdict{}, err
	}
	lines := linesBytes(q.Lines)
	if len(lines) > maxQuestion {
		return verdict{decision: audit.Blocked, by: audit.ByFloor, reason: fmt.Sprintf("a question of %d lines is more than a person can review: do it in smaller parts", len(q.Lines))}, nil
	}
	a, err := d.owner.ask(ctx, q)
	asked := &audit.Asked{Question: q.ID, Lines: lines, Took: time.Duration(a.Millis) * time.Millisecond, Unfenced: a.Unfenced}
	switch {
	case errors.Is(err, errTimeout):
		return verdict{audit.Denied, audit.ByTimeout, "nobody answered within " + answerTime.String(), asked}, nil
	case err != nil && ctx.Err() != nil:
		return verdict{audit.Denied, d.person(), "the turn was cancelled while the question was open", asked}, nil
	case err != nil:
		return verdict{}, err
	}
	by := audit.By(a.By)
	if by == "" {
		by = d.person()
	}
	switch a.Choice {
	case event.Once:
		return verdict{audit.Approved, by, "", asked}, nil
	case event.Keep:
		return verdict{audit.Approved, by, "", asked}, d.remember(ctx, p, a.Scope)
	default:
		reason := a.Reason
		if reason == "" {
			reason = "the person said no"
		}
		return verdict{audit.Denied, by, reason, asked}, nil
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

// remember keeps what the person chose beside the yes.
func (d *Dispatcher) remember(ctx context.Context, p proposal, scope string) error {
	for _, o := range gate.Scopes(p.input, p.decision) {
		if o.ID == scope {
			return d.keeps(ctx, o)
		}
	}
	return nil // owner.answer takes no scope that was not offered
}
