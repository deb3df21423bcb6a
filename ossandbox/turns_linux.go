package ossandbox

import "context"

// turns lets one at a time have something for long, as no mutex can: whoever
// waits can give up. Its zero value is of no use, see newTurns.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

// wait is until it is our turn, or until ctx ends; what is free is ours also when
// that has ended. Each nil is followed by a pass.
func (t turns) wait(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass ends our turn.
func (t turns) pass() { <-t }
