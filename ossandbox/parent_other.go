//go:build !linux

package ossandbox

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrAbandoned is the cause of a context whose owner has died: a command that
// runs under it is killed at once.
var ErrAbandoned = errors.New("the program that started this one has ended")

// WithParent is ctx that is cancelled, with ErrAbandoned, when the process
// that started this one ends. stop ends the watch.
func WithParent(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	parent := os.Getppid()
	go func() { // ends with ctx
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					cancel(ErrAbandoned)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
