package tty

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// An Input is something that came from the terminal.
type Input struct {
	Event    uv.Event  // nil for bytes that mean nothing to us
	At       time.Time // when the last of its bytes was read
	Alone    bool      // its bytes were all that one read returned
	Followed bool      // more bytes came in the same read
	Cut      bool      // of a paste: longer than we keep, or its end never came
}

// A Source reads the terminal in the place of Bubble Tea, which sees the file
// but none of its bytes. One goroutine calls Read, another one Run.
type Source struct {
	f      *os.File  // nil when in is no file
	in     io.Reader // f, or what stands for it in a test
	now    func() time.Time
	chunks chan chunk
	done   chan struct{} // closed when Run has ended
	last   atomic.Int64  // when bytes were read last, in nanoseconds since 1970
}

type chunk struct {
	b  []byte
	at time.Time
}

// Bounds of what waits, and of what is kept.
const (
	maxChunks = 4096    // reads that wait for the program; a read is 4 KiB at most
	maxPaste  = 8 << 20 // bytes of a paste
)

// NewSource reads in, which may be an *os.File.
func NewSource(in io.Reader, now func() time.Time) *Source {
	f, _ := in.(*os.File)
	return &Source{f: f, in: in, now: now, chunks: make(chan chunk, maxChunks), done: make(chan struct{})}
}

// Read takes what the terminal sent and gives nothing of it to the caller.
func (s *Source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if n > 0 {
		at := s.now()
		s.last.Store(at.UnixNano())
		select {
		case s.chunks <- chunk{bytes.Clone(p[:n]), at}:
		case <-s.done:
		}
	}
	if err != nil {
		select {
		case s.chunks <- chunk{}: // the end
		case <-s.done:
		}
	}
	return 0, err
}

// Last is when bytes were read last; the zero time when never.
func (s *Source) Last() time.Time {
	ns := s.last.Load()
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// Ended is the Event of the last Input: the terminal is gone.
type Ended struct{}

// Times after which something incomplete is taken as it is.
const (
	escTimeout   = 50 * time.Millisecond
	pasteTimeout = 2 * time.Second
)

// Run decodes until stop is closed, and hands each Input to post, which must
// not block for long.
func (s *Source) Run(stop <-chan struct{}, post func(Input)) {
	defer close(s.done)
	sc := scanner{post: post}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case c := <-s.chunks:
			if c.b == nil {
				sc.expire()
				post(Input{Event: Ended{}, At: s.now()})
				return
			}
			sc.add(c)
		case <-timer.C:
			sc.expire()
		}
		switch {
		case sc.paste != nil:
			timer.Reset(pasteTimeout)
		case len(sc.buf) > 0:
			timer.Reset(escTimeout)
		default:
			timer.Stop()
		}
	}
}

// Fd, Name, Write and Close make Bubble Tea take a Source for the terminal, so
// that it sets and restores the terminal's mode.

// Fd is the descriptor of the file behind the source.
func (s *Source) Fd() uintptr {
	if s.f == nil {
		return ^uintptr(0)
	}
	return s.f.Fd()
}

// Name is the name of the file behind the source.
func (s *Source) Name() string {
	if s.f == nil {
		return "input"
	}
	return s.f.Name()
}

// Write always fails: nothing is written to a source.
func (s *Source) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Close does nothing: the file belongs to someone else.
func (s *Source) Close() error { return nil }

// Terminal is what Bubble Tea is given to read: the source as a file when it
// is one, else as a plain reader.
func (s *Source) Terminal() io.Reader {
	if s.f != nil {
		return s
	}
	return onlyReader{s}
}

type onlyReader struct{ r io.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }

// scanner cuts the bytes of reads into events.
type scanner struct {
	post  func(Input)
	dec   uv.EventDecoder
	buf   []byte
	at    time.Time // of the last read
	fresh bool      // buf began with the last read
	size  int       // of the last read
	paste []byte    // not nil inside of a paste
	cut   bool      // the paste was longer than we keep
	told  bool      // something was posted for the last read
}

func (s *scanner) add(c chunk) {
	s.fresh = len(s.buf) == 0 && s.paste == nil
	s.size, s.at, s.told = len(c.b), c.at, false
	s.buf = append(s.buf, c.b...)
	s.scan(false)
	if !s.told && len(s.buf) == 0 {
		s.emit(Input{}) // whoever waits for these bytes hears that they were nothing
	}
}

// expire takes what is there for complete.
func (s *scanner) expire() {
	s.fresh = false
	if s.paste != nil {
		s.paste = append(s.paste, s.buf...)
		s.buf, s.cut = s.buf[:0], true
		s.endPaste()
		return
	}
	s.scan(true)
}

func (s *scanner) emit(in Input) {
	in.At, s.told = s.at, true
	s.post(in)
}

func (s *scanner) scan(expired bool) {
	for len(s.buf) > 0 {
		if s.paste != nil {
			if !s.inPaste() {
				return
			}
			continue
		}
		n, ev, ok := s.decode(expired)
		if !ok {
			return
		}
		alone := s.fresh && n == s.size && n == len(s.buf)
		s.buf = s.buf[n:]
		switch ev := ev.(type) {
		case uv.PasteStartEvent:
			s.paste, s.told = []byte{}, true // the paste will be posted
		case uv.MultiEvent:
			for _, one := range ev {
				s.emit(Input{Event: one, Followed: true})
			}
		default:
			s.emit(Input{Event: ev, Alone: alone, Followed: len(s.buf) > 0})
		}
	}
	s.buf = nil
}

// decode reads the first event. ok is false when more bytes may complete it.
func (s *scanner) decode(expired bool) (n int, ev uv.Event, ok bool) {
	b := s.buf
	switch {
	case b[0] >= utf8.RuneSelf:
		// Our terminals speak UTF-8: a byte alone is no control.
		if !utf8.FullRune(b) && !expired {
			return 0, nil, false
		}
		if r, size := utf8.DecodeRune(b); r == utf8.RuneError && size <= 1 {
			return 1, nil, true
		}
	case bytes.HasPrefix(b, []byte("\x1b[[")):
		// Function keys of the Linux console, which no key of ours is.
		if len(b) == 3 && !expired {
			return 0, nil, false
		}
		return min(4, len(b)), nil, true
	case !expired && open(b):
		return 0, nil, false
	}
	n, ev = s.dec.Decode(b)
	if _, unknown := ev.(uv.UnknownEvent); unknown {
		if n >= len(b) && !expired && len(b) < maxSequence*16 {
			return 0, nil, false
		}
		ev = nil
	}
	return max(1, n), ev, true
}

// open says that b is only the beginning of what it may become.
func open(b []byte) bool {
	if b[0] != ansi.ESC || len(b) > 2 {
		return false
	}
	return len(b) == 1 || bytes.IndexByte([]byte("[]OPX^_\x1b"), b[1]) >= 0
}

// pasteEnd ends a bracketed paste.
const pasteEnd = "\x1b[201~"

// inPaste moves what belongs to the paste. It is false when more bytes have to
// come.
func (s *scanner) inPaste() bool {
	if i := bytes.Index(s.buf, []byte(pasteEnd)); i >= 0 {
		s.keep(s.buf[:i])
		s.buf = s.buf[i+len(pasteEnd):]
		s.endPaste()
		return true
	}
	rest := 0 // what may be the beginning of the end stays
	for n := min(len(pasteEnd)-1, len(s.buf)); n > 0; n-- {
		if bytes.HasPrefix([]byte(pasteEnd), s.buf[len(s.buf)-n:]) {
			rest = n
			break
		}
	}
	s.keep(s.buf[:len(s.buf)-rest])
	s.buf = bytes.Clone(s.buf[len(s.buf)-rest:])
	s.told = true // the paste will be posted with a later time
	return false
}

func (s *scanner) keep(b []byte) {
	if room := maxPaste - len(s.paste); len(b) > room {
		b, s.cut = b[:room], true
	}
	s.paste = append(s.paste, b...)
}

func (s *scanner) endPaste() {
	in := Input{Event: uv.PasteEvent{Content: string(bytes.ToValidUTF8(s.paste, nil))}, Cut: s.cut, Followed: len(s.buf) > 0}
	s.paste, s.cut = nil, false
	s.emit(in)
}
