package world

import (
	"io"
	"sync"
)

// collector keeps the output of a command as it came, both streams together,
// and tells the front ends of it on the way.
type collector struct {
	limit int
	tell  func(stream string, b []byte)

	tellAll bool // also of what is not kept

	mu      sync.Mutex
	kept    []byte
	dropped int64
}

type stream struct {
	c    *collector
	name string
}

func (c *collector) stream(name string) io.Writer { return stream{c, name} }

// Write never fails: a command that prints too much still ends by itself.
func (s stream) Write(b []byte) (int, error) {
	s.c.mu.Lock()
	room := min(len(b), s.c.limit-len(s.c.kept))
	s.c.kept = append(s.c.kept, b[:room]...)
	s.c.dropped += int64(len(b) - room)
	s.c.mu.Unlock()
	if s.c.tellAll {
		room = len(b)
	}
	if s.c.tell != nil && room > 0 {
		s.c.tell(s.name, b[:room])
	}
	return len(b), nil
}

func (c *collector) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept
}
