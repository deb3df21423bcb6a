package wire

import (
	"bytes"
	"errors"
	"io"
)

// nextSSE reads one server-sent event (WHATWG HTML, 9.2.6), with two
// liberties: an event that the end of the body cuts off is given too, marked
// Open, and one without data is passed over whatever its name.
func (r *Reader) nextSSE() (Event, error) {
	var e Event
	var data []byte
	has := false
	for {
		line, ended, err := r.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return Event{}, err
		}
		atEnd := err != nil
		if len(line) == 0 && (ended || atEnd) {
			if has || atEnd {
				return finishSSE(e, data, has, atEnd)
			}
			e = Event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.Name = string(value)
		case "data":
			if has {
				data = append(data, '\n')
			}
			if len(data)+len(value) > MaxEvent {
				return Event{}, ErrTooLarge
			}
			data, has = append(data, value...), true
		}
		if atEnd {
			return finishSSE(e, data, has, true)
		}
	}
}

func finishSSE(e Event, data []byte, has, open bool) (Event, error) {
	if !has {
		return Event{}, io.EOF
	}
	e.Data, e.Open = data, open
	return e, nil
}

// line reads up to CR, LF or CRLF. The line is valid until the next call;
// ended is false when the body ended first, and then err is io.EOF.
func (r *Reader) line() (line []byte, ended bool, err error) {
	r.buf = r.buf[:0]
	for {
		c, err := r.byte()
		if err != nil {
			return r.buf, false, err
		}
		cr := r.sawCR
		r.sawCR = c == '\r'
		switch {
		case c == '\n' && cr && len(r.buf) == 0:
			continue // the second half of CRLF
		case c == '\n', c == '\r':
			return r.buf, true, nil
		}
		if err := r.keep(c); err != nil {
			return nil, false, err
		}
	}
}
