package ossandbox

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrAbandoned is the cause of a context whose owner has died: a command that
// runs under it is killed at once.
var ErrAbandoned = errors.New("the program that started this one has ended")

// WithParent is ctx that is cancelled, with ErrAbandoned, when the process
// that started this one ends. (A death signal would do it when the thread ends
// that forked us, which in a larger program happens while the program lives.)
// stop ends the watch.
func WithParent(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop = func() { cancel(nil) }
	parent := os.Getppid()
	if parent <= 1 {
		return ctx, stop // nobody is waiting for us already
	}
	fd, err := unix.PidfdOpen(parent, 0)
	if err != nil || os.Getppid() != parent {
		if err == nil {
			unix.Close(fd)
			cancel(ErrAbandoned)
		}
		return ctx, stop
	}
	go func() { // ends with ctx, a look later
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for ctx.Err() == nil {
			if n, err := unix.Poll(poll, 200); n > 0 {
				cancel(ErrAbandoned)
			} else if err != nil && err != unix.EINTR {
				return
			}
		}
	}()
	return ctx, stop
}
