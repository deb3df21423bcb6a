package model

import (
	"fmt"
	"sync"
	"time"
)

const (
	breakerCount = 5
	breakerSpan  = 60 * time.Second
	breakerOpen  = 30 * time.Second
)

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
