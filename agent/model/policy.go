package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"
)

// Retry rules. A request is sent again only if the error may pass, and only
// before anything was shown, or if the stream was cut with no complete call.
const (
	backoffBase  = 500 * time.Millisecond
	backoffMost  = 30 * time.Second
	obeyAtMost   = 120 * time.Second // a longer retry-after is for the user to wait
	loadingWait  = 2 * time.Second   // between looks at a server that loads its model
	breakerCount = 5
	breakerSpan  = 60 * time.Second
	breakerOpen  = 30 * time.Second
)

// tries counts the attempts of one request.
type tries struct {
	most    int
	made    int
	loading time.Duration // what may still be waited for a model to load
}

func newTries(most int, loading time.Duration) *tries {
	return &tries{most: most, loading: loading}
}

// progress is how far a failed reply had come.
type progress struct {
	shown bool // something of it was shown
	call  bool // it held a call whose arguments were complete
}

// next says whether to try again after an error, and after what wait.
func (t *tries) next(e *Error, got progress) (bool, time.Duration) {
	t.made++
	if !e.Retryable || got.shown && (e.Class != ClassStreamTruncated || got.call) {
		return false, 0
	}
	if e.Class == ClassModelLoading && t.most > 1 && t.loading > 0 {
		t.loading -= loadingWait
		return true, loadingWait
	}
	if t.made >= t.most {
		return false, 0
	}
	if e.RetryAfter != nil {
		return *e.RetryAfter <= obeyAtMost, *e.RetryAfter
	}
	return true, backoff(t.made)
}

// backoff waits at random up to a bound that doubles (full jitter).
func backoff(made int) time.Duration {
	most := backoffMost
	if made < 7 {
		most = min(most, backoffBase<<(made-1))
	}
	return time.Duration(rand.Int64N(int64(most) + 1))
}

// A breaker keeps a failing model of a host from being asked again and again:
// 5 failures within 60 s close the way for 30 s, then one request may probe.
type breaker struct {
	mu      sync.Mutex
	failed  []time.Time
	until   time.Time // no request before
	probing bool
	last    *Error
}

func (c *Client) breaker(model string) *breaker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.breakers[model] == nil {
		c.breakers[model] = &breaker{}
	}
	return c.breakers[model]
}

// allow says whether a request may go out now.
func (b *breaker) allow(now time.Time) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	if wait := b.until.Sub(now); wait > 0 || b.probing {
		wait = max(wait, time.Second).Round(time.Second)
		return &Error{Class: b.last.Class, Status: b.last.Status, Retryable: true, RetryAfter: &wait,
			Message: fmt.Sprintf("%d failures within %s, the last: %s", breakerCount, breakerSpan, b.last.Message),
			Hint:    fmt.Sprintf("it is tried again in %s; or choose another model", wait)}
	}
	b.probing = true
	return nil
}

// record takes the outcome of a request.
func (b *breaker) record(e *Error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	probe := b.probing
	b.probing = false
	if e == nil || !breaks(e.Class) {
		b.failed, b.until = nil, time.Time{}
		return
	}
	b.last = e
	b.failed = append(b.failed, now)
	for len(b.failed) > 0 && now.Sub(b.failed[0]) > breakerSpan {
		b.failed = b.failed[1:]
	}
	if probe || len(b.failed) >= breakerCount {
		b.until = now.Add(breakerOpen)
		b.failed = nil
	}
}

// cancelled ends a request that told nothing about the server.
func (b *breaker) cancelled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// breaks says whether errors of this class are the server's weakness, not the
// request's.
func breaks(c Class) bool {
	switch c {
	case ClassServer, ClassOverloaded, ClassNetwork, ClassStreamTruncated:
		return true
	}
	return false
}

// Causes of a watch's cancellation.
var (
	errFirst = errors.New("nothing came in time")
	errIdle  = errors.New("nothing more came in time")
)

// A watch cancels a request in which nothing happens: until the first byte of
// the body, and between bytes.
type watch struct {
	cancel context.CancelCauseFunc
	idle   time.Duration
	mu     sync.Mutex
	timer  *time.Timer
}

func newWatch(ctx context.Context, first, idle time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{cancel: cancel, idle: idle}
	w.timer = time.AfterFunc(first, func() { cancel(errFirst) })
	return ctx, w
}

// alive starts the wait for the next byte.
func (w *watch) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = time.AfterFunc(w.idle, func() { w.cancel(errIdle) })
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
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

// isRefused says that the machine answered and nothing listens there.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
