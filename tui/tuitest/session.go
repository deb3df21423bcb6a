// Package tuitest runs the front end in tests: with a session that plays
// scripted events, in a terminal emulator, on a clock that does not take time.
package tuitest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// A Session plays events and remembers commands.
type Session struct {
	// On, when not nil, is called for each command, in order, and returns what
	// the session emits then.
	On func(event.Command) []event.Body

	Lost bool // nothing can be recalled; to be set before the front end starts

	mu       sync.Mutex
	id       string
	stored   []event.Event
	feeds    map[chan event.Event]bool
	commands []event.Command
	ended    bool
	recalls  int
}

// NewSession makes a session whose log holds events already.
func NewSession(bodies ...event.Body) *Session {
	s := &Session{id: "20261129-1400-a1b2", feeds: map[chan event.Event]bool{}}
	s.Emit(bodies...)
	return s
}

// Emit appends events and tells whoever listens.
func (s *Session) Emit(bodies ...event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range bodies {
		e := event.Event{Time: time.Now().UTC(), Session: s.id, Body: b}
		if !e.Transient() {
			e.Seq = uint64(len(s.stored) + 1)
			s.stored = append(s.stored, e)
		}
		for f := range s.feeds {
			select {
			case f <- e:
			default: // too slow: it has to ask again
				close(f)
				delete(s.feeds, f)
			}
		}
	}
}

// feedRoom is how many events a listener may be behind.
const feedRoom = 1024

// Subscribe is what the front end calls.
func (s *Session) Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, nil, nil, errors.New("the session has ended")
	}
	f := make(chan event.Event, feedRoom)
	s.feeds[f] = true
	cancel := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.feeds[f] {
			delete(s.feeds, f)
			close(f)
		}
	}
	return append([]event.Event(nil), s.stored[min(int(seq), len(s.stored)):]...), f, cancel, nil
}

// Recall is what the front end calls for what it does not keep.
func (s *Session) Recall(seqs []uint64) ([]event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recalls++
	var out []event.Event
	for _, n := range seqs {
		if s.Lost || n == 0 || n > uint64(len(s.stored)) {
			return nil, fmt.Errorf("event %d is not there", n)
		}
		out = append(out, s.stored[n-1])
	}
	return out, nil
}

// Recalls is how often something was recalled.
func (s *Session) Recalls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recalls
}

// Send is what the front end calls.
func (s *Session) Send(c event.Command) error {
	s.mu.Lock()
	s.commands = append(s.commands, c)
	on, ended := s.On, s.ended
	s.mu.Unlock()
	if ended {
		return errors.New("the session has ended")
	}
	if on != nil {
		s.Emit(on(c)...)
	}
	return nil
}

// End closes the session.
func (s *Session) End() {
	s.Emit(event.Closed{Status: "ok"})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for f := range s.feeds {
		close(f)
		delete(s.feeds, f)
	}
}

// Commands is what the front end sent so far.
func (s *Session) Commands() []event.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]event.Command(nil), s.commands...)
}

// Answers are the answers among them.
func (s *Session) Answers() []event.Answer {
	var out []event.Answer
	for _, c := range s.Commands() {
		if a, ok := c.(event.Answer); ok {
			out = append(out, a)
		}
	}
	return out
}
