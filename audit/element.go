package audit

import (
	"errors"
	"fmt"
	"io"
)

// A splitter cuts a JSON text into values without holding more of it than one.
// It follows strings and brackets only; what it gives is parsed strictly later.
type splitter struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	have []byte // read and not yet given
	at   int64  // offset of have
	line int64  // of have, from 1
	out  []byte
}

// errEnd says that the text ends inside a value.
var errEnd = errors.New("the text ends too early")

func newSplitter(r io.ReaderAt, size, at, line int64) *splitter {
	return &splitter{r: r, size: size, at: at, line: line, buf: make([]byte, 256<<10)}
}

// fill reads on when nothing is left. At the end it gives io.EOF.
func (s *splitter) fill() error {
	if len(s.have) > 0 {
		return nil
	}
	n := min(int64(len(s.buf)), s.size-s.at)
	if n <= 0 {
		return io.EOF
	}
	m, err := s.r.ReadAt(s.buf[:n], s.at)
	if m == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	s.have = s.buf[:m]
	return nil
}

func (s *splitter) skip(n int) {
	s.have = s.have[n:]
	s.at += int64(n)
}

// peek is the next byte that is no white space. At the end it gives io.EOF.
func (s *splitter) peek() (byte, error) {
	for {
		if err := s.fill(); err != nil {
			return 0, err
		}
		for i, c := range s.have {
			switch c {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				s.skip(i)
				return c, nil
			}
		}
		s.skip(len(s.have))
	}
}

// take goes past the next byte that is no white space, if it is c.
func (s *splitter) take(c byte) (bool, error) {
	got, err := s.peek()
	if err != nil || got != c {
		return false, err
	}
	s.skip(1)
	return true, nil
}

// value gives the next value as text, without white space between its parts,
// valid until the following call. It may be longest bytes long.
func (s *splitter) value(longest int) ([]byte, error) {
	if _, err := s.peek(); err != nil {
		return nil, end(err)
	}
	s.out = s.out[:0]
	v := valueScan{}
	for {
		if err := s.fill(); err != nil {
			if errors.Is(err, io.EOF) && v.depth == 0 && !v.inString && len(s.out) > 0 {
				return s.out, nil
			}
			return nil, end(err)
		}
		n, done := v.scan(s)
		s.skip(n)
		if done {
			return s.out, nil
		}
		if len(s.out) > longest {
			return nil, fmt.Errorf("%w: a value is longer than %d bytes", errText, longest)
		}
	}
}

func end(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnd
	}
	return err
}

// valueScan is where a value is left while the buffer is filled.
type valueScan struct {
	depth    int
	inString bool
	escaped  bool
	gap      bool // white space was left out
}

// scan copies what belongs to the value, and says how much it used up and
// whether the value is at its end.
func (v *valueScan) scan(s *splitter) (used int, done bool) {
	from := 0
	copyTo := func(i int) { s.out = append(s.out, s.have[from:i]...) }
	for i, c := range s.have {
		if v.inString {
			if v.closes(c) && v.depth == 0 {
				copyTo(i + 1)
				return i + 1, true
			}
			if c == '\n' {
				s.line++
			}
			continue
		}
		switch c {
		case '"':
			v.inString = true
		case '{', '[':
			v.depth++
		case '}', ']', ',', ':':
			if v.depth == 0 { // it belongs to what holds a bare word
				copyTo(i)
				return i, true
			}
			if c == '}' || c == ']' {
				v.depth--
				if v.depth == 0 {
					copyTo(i + 1)
					return i + 1, true
				}
			}
		case ' ', '\t', '\r', '\n':
			copyTo(i)
			if v.depth == 0 {
				return i, true
			}
			if c == '\n' {
				s.line++
			}
			from, v.gap = i+1, true
			continue
		default:
			if v.gap && len(s.out) > 0 && from == i && word(s.out[len(s.out)-1]) && word(c) {
				s.out = append(s.out, ' ') // two words must not become one
			}
		}
		v.gap = false
	}
	copyTo(len(s.have))
	return len(s.have), false
}

// closes takes a byte of a string, and reports whether the string ends with it.
func (v *valueScan) closes(c byte) bool {
	switch {
	case v.escaped:
		v.escaped = false
	case c == '\\':
		v.escaped = true
	case c == '"':
		v.inString = false
		return true
	}
	return false
}

// word reports whether c can be part of a number, true, false or null.
func word(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':', '"':
		return false
	default:
		return true
	}
}
