package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/app"
)

// A mailbox hands things on in order, without ever making the one who adds them
// wait: the renderer adds messages while the program waits for the renderer, and
// the program adds commands while the session waits for its disk.
type mailbox[T any] struct {
	mu    sync.Mutex
	queue []T
	more  chan struct{} // holds one when there is something
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{more: make(chan struct{}, 1)} }

func (b *mailbox[T]) add(msg T) {
	b.mu.Lock()
	b.queue = append(b.queue, msg)
	b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// deliver hands on what is there and what comes, until ctx ends.
func (b *mailbox[T]) deliver(ctx context.Context, send func(T)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.more:
		}
		b.mu.Lock()
		queue := b.queue
		b.queue = nil
		b.mu.Unlock()
		for _, msg := range queue {
			send(msg)
		}
	}
}

// send hands commands to the session, one after the other.
func send(s Session, box *mailbox[tea.Msg]) func(event.Command) {
	return func(c event.Command) {
		if err := s.Send(c); err != nil {
			box.add(app.Lost{Err: fmt.Errorf("session: %w", err)})
		}
	}
}

// coalesce is how long events are gathered into one message: View runs after
// every message.
const coalesce = 33 * time.Millisecond

// errGone says that the session ended by itself.
var errGone = errors.New("the session ended")

// follow hands the session's events to the program until one of them ends. A
// feed that was cut off is taken up again where it ended.
func follow(ctx context.Context, s Session, box *mailbox[tea.Msg]) {
	var seq uint64
	for ctx.Err() == nil {
		backlog, live, cancel, err := s.Subscribe(seq)
		if err != nil {
			box.add(app.Lost{Err: fmt.Errorf("session: %w", err)})
			return
		}
		r := relay{box: box}
		r.run(ctx, backlog, live)
		cancel()
		switch {
		case r.over:
			box.add(app.Lost{Err: nil})
			return
		case r.told == 0: // cut off, and not because we were slow
			box.add(app.Lost{Err: fmt.Errorf("session: %w", errGone)})
			return
		}
		seq = max(seq, r.last)
	}
}

// relay hands on one feed.
type relay struct {
	box  *mailbox[tea.Msg]
	last uint64 // number of the last stored event
	told int    // how many events there were
	over bool   // the session said that it is closed
}

func (r *relay) run(ctx context.Context, backlog []event.Event, live <-chan event.Event) {
	if len(backlog) > 0 {
		r.note(backlog)
		r.over = false // that was a process before this one
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-live:
			if !ok {
				return
			}
			batch, open := gather(ctx, e, live)
			r.note(batch)
			if !open {
				return
			}
		}
	}
}

func (r *relay) note(events []event.Event) {
	for _, e := range events {
		r.last = max(r.last, e.Seq)
		_, r.over = e.Body.(event.Closed)
	}
	r.told += len(events)
	r.box.add(app.Events(events))
}

// gather waits a moment for more events. The first one after a pause is not
// kept waiting for nothing: it goes as soon as the moment is over.
func gather(ctx context.Context, first event.Event, live <-chan event.Event) (batch []event.Event, open bool) {
	batch = []event.Event{first}
	timer := time.NewTimer(coalesce)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return batch, true
		case <-timer.C:
			return batch, true
		case e, ok := <-live:
			if !ok {
				return batch, false
			}
			batch = append(batch, e)
		}
	}
}
