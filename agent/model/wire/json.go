package wire

import (
	"errors"
	"io"
)

// nextJSON reads one object from a sequence of them: a single document, lines
// of JSON, or the elements of an array. What is no object is given as a line,
// for the decoder to stumble over.
func (r *Reader) nextJSON() (Event, error) {
	r.buf = r.buf[:0]
	for {
		c, err := r.byte()
		if err != nil {
			return Event{}, err
		}
		switch {
		case c == ' ', c == '\t', c == '\n', c == '\r':
			continue
		case r.array && (c == ',' || c == ']'):
			continue
		}
		r.unread()
		if c == '{' {
			return r.object()
		}
		line, _, err := r.line()
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return Event{}, err
		}
		return Event{Data: line, Open: err != nil}, nil
	}
}

// object reads up to the bracket that closes the first one.
func (r *Reader) object() (Event, error) {
	depth, inString, escaped := 0, false, false
	for {
		c, err := r.byte()
		if errors.Is(err, io.EOF) {
			return Event{Data: r.buf, Open: true}, nil
		}
		if err == nil {
			err = r.keep(c)
		}
		if err != nil {
			return Event{}, err
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
			if depth == 0 {
				return Event{Data: r.buf}, nil
			}
		}
	}
}
