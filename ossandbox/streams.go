package ossandbox

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// streams are the three streams of one command: files for the child, and the
// goroutines that copy between them and the caller's readers and writers.
type streams struct {
	child  [3]*os.File
	opened []*os.File // our copies of the child's ends, closed once it has started
	reads  []*os.File // our ends of its output
	feed   *os.File   // our end of its input
	pumps  sync.WaitGroup

	mu      sync.Mutex
	dropped int64
	tail    []byte // the last output of all, for hints
}

const maxTail = 8 << 10

// newStreams prepares them. A file is handed over as it is; for anything else
// there is a pipe, of which at most limit bytes are passed on.
func newStreams(c *Command, limit int64) (s *streams, err error) {
	s = &streams{}
	defer func() {
		if err != nil {
			s.started()
			s.finish()
		}
	}()
	if s.child[0], err = s.input(c.Stdin); err != nil {
		return s, err
	}
	if s.child[1], err = s.output(c.Stdout, limit); err != nil {
		return s, err
	}
	if c.Stderr != nil && sameWriter(c.Stdout, c.Stderr) {
		s.child[2] = s.child[1] // one pipe keeps the order of what is written
		return s, nil
	}
	s.child[2], err = s.output(c.Stderr, limit)
	return s, err
}

func sameWriter(a, b io.Writer) bool {
	defer func() { recover() }() // writers of a type that cannot be compared differ
	return a == b
}

func (s *streams) input(r io.Reader) (*os.File, error) {
	if f, ok := r.(*os.File); ok {
		return f, nil
	}
	if r == nil {
		return s.null()
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.opened, s.feed = append(s.opened, read), write
	go func() { // not waited for: a reader of the caller's may never return
		io.Copy(write, r)
		write.Close()
	}()
	return read, nil
}

func (s *streams) output(w io.Writer, limit int64) (*os.File, error) {
	if f, ok := w.(*os.File); ok {
		return f, nil
	}
	if w == nil {
		return s.null()
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.opened, s.reads = append(s.opened, write), append(s.reads, read)
	s.pumps.Go(func() { s.pump(w, read, limit) })
	return write, nil
}

func (s *streams) null() (*os.File, error) {
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		s.opened = append(s.opened, f)
	}
	return f, err
}

// pump passes on at most limit bytes, then reads on and counts.
func (s *streams) pump(w io.Writer, r *os.File, limit int64) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		pass := int(min(int64(n), limit))
		if pass > 0 {
			if _, werr := w.Write(buf[:pass]); werr != nil {
				limit, pass = 0, 0
			} else {
				limit -= int64(pass)
			}
		}
		s.mu.Lock()
		s.dropped += int64(n - pass)
		s.tail = append(s.tail, buf[:n]...)
		if over := len(s.tail) - maxTail; over > 0 {
			s.tail = append(s.tail[:0], s.tail[over:]...)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// started closes our copies of what the child has.
func (s *streams) started() {
	for _, f := range s.opened {
		f.Close()
	}
	s.opened = nil
}

// finish ends the copying, when nothing of the command is left: what is in the
// pipes is still passed on, and a descriptor that got away cannot hold us.
func (s *streams) finish() (dropped int64, tail []byte) {
	if s.feed != nil {
		s.feed.Close()
	}
	deadline := time.Now().Add(2 * time.Second)
	for _, r := range s.reads {
		if err := r.SetReadDeadline(deadline); err != nil && !errors.Is(err, os.ErrClosed) {
			r.Close()
		}
	}
	s.pumps.Wait()
	for _, r := range s.reads {
		r.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped, s.tail
}
