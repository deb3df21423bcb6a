package mcp

import (
	"fmt"
	"time"
)

// A Health is how a server does in this session.
type Health struct {
	Standing
	Off    bool // the person switched it off
	Runs   bool
	Starts int    // within the last minutes
	Noise  int    // lines of its output that were no messages
	Words  string // the last of its stderr, as they came
	Login  bool   // somebody logged in
}

// Health looks at all servers. Nothing is started.
func (s *Servers) Health() []Health {
	var out []Health
	for _, standing := range s.Standings() {
		name := standing.Entry.Name
		s.mu.Lock()
		h, live := Health{Standing: standing, Off: s.off[name]}, s.live[name]
		s.mu.Unlock()
		if live != nil {
			h.Runs, h.Noise = live.Running(), live.Noise()
			h.Starts, h.Words = live.past()
		}
		if k, err := s.Keeper(name); err == nil {
			_, h.Login, _ = k.Grant() // one that cannot be read counts as none; its use says why
		}
		out = append(out, h)
	}
	return out
}

// past is how often a server was started of late, and its last words.
func (s *Server) past() (starts int, words string) {
	s.mu.Lock()
	c := s.conn
	for _, at := range s.starts {
		if time.Since(at) < startWindow {
			starts++
		}
	}
	s.mu.Unlock()
	if c != nil && c.process != nil {
		words = c.process.stderr.tail(lastWords, ringSize)
	}
	return starts, words
}

// lastWords is how many lines of a server's stderr are shown.
const lastWords = 20

func (s *Servers) isOff(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.off[name]
}

// Switch switches a server off for this session, and ends it, or on again.
func (s *Servers) Switch(name string, off bool) error {
	if _, ok := s.entry(name); !ok {
		return fmt.Errorf("%w %s", ErrNoServer, name)
	}
	s.mu.Lock()
	s.off[name] = off
	s.mu.Unlock()
	if off {
		return s.Restart(name)
	}
	return nil
}

// Restart ends a server; the next call starts it, however often that was done
// before.
func (s *Servers) Restart(name string) error {
	if _, ok := s.entry(name); !ok {
		return fmt.Errorf("%w %s", ErrNoServer, name)
	}
	s.mu.Lock()
	live := s.live[name]
	delete(s.live, name)
	s.mu.Unlock()
	if live == nil {
		return nil
	}
	return live.Close()
}

// Approve stores what a report found in place of what was approved before. State
// puts that on record first, with the earlier one's hash ("" for none); its
// error stops it.
func (s *Servers) Approve(r Report, state func(old string) error) error {
	key := Key(r.Entry, s.o.Workspace)
	was, err := s.o.Pins.Get(key)
	if err != nil {
		return err
	}
	old := ""
	if was.Tools != nil {
		old = was.Hash()
	}
	if err := state(old); err != nil {
		return err
	}
	return s.o.Pins.Set(key, r.Pin)
}
