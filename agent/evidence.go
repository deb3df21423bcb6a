package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/audit"
)

// evidence is what the dispatcher needs of the audit log.
type evidence interface {
	Intent(context.Context, audit.Intent) (audit.Token, error)
	Outcome(audit.Token, audit.Outcome) error
	Event(context.Context, audit.Event) error
	Head() audit.Head
}

// ErrNoEvidence says that the audit log cannot be written. A call whose intent
// could not be stated was not run, and nothing may run after it.
var ErrNoEvidence = errors.New("the evidence cannot be written, so nothing is done")

// noEvidence is the error of a session whose audit log failed with err; nil for
// nil.
func noEvidence(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNoEvidence, err)
}

// lost says that a problem is none of the call's: the session cannot go on.
func lost(problem error) bool {
	return errors.Is(problem, ErrNoEvidence) || errors.Is(problem, errEnded)
}

// writeOutcome states what came of an intent.
func (d *Dispatcher) writeOutcome(token audit.Token, o audit.Outcome) error {
	return noEvidence(d.log.Outcome(token, o))
}
