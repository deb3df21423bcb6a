package model

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Causes of a watch's cancellation.
var (
	errFirst = errors.New("nothing came in time")
	errIdle  = errors.New("nothing more came in time")
	errWhole = errors.New("the reply did not end in time")
)

// A watch cancels a request in which nothing happens: until the first byte of
// the body, and between bytes. A reply that drips without end is cancelled too.
type watch struct {
	cancel context.CancelCauseFunc
	idle   time.Duration
	whole  *time.Timer

	mu    sync.Mutex
	timer *time.Timer
}

func newWatch(ctx context.Context, first, idle, whole time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{cancel: cancel, idle: idle}
	w.timer = time.AfterFunc(first, func() { cancel(errFirst) })
	w.whole = time.AfterFunc(whole, func() { cancel(errWhole) })
	return ctx, w
}

// alive starts the wait for the next byte.
func (w *watch) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = time.AfterFunc(w.idle, func() { w.cancel(errIdle) })
}

// afterEnd is how long a server may keep a reply open whose end marker came.
const afterEnd = 500 * time.Millisecond

// ended lets the reply go on for a moment only.
func (w *watch) ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole.Reset(afterEnd)
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.whole.Stop()
	w.cancel(nil)
}

// watchedBody tells the watch of each byte.
type watchedBody struct {
	io.Reader
	watch *watch
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.watch.alive()
	}
	return n, err
}
