package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bounds of one reply.
const (
	MaxEvent = 1 << 20  // bytes of one line, and of one event
	MaxReply = 64 << 20 // bytes of the whole body
)

// ErrTooLarge says that a bound was passed. The rest of the body is not read.
var ErrTooLarge = errors.New("the reply is larger than allowed")

// An Event is one piece of a reply.
type Event struct {
	Name string // of a server-sent event; empty: none
	Data []byte // valid until the next call of Next

	// Open says that the body ended before the event did: no blank line came
	// after it, or its brackets are not closed.
	Open bool
}

// A Reader gives the events of one body in order.
type Reader struct {
	in    *bufio.Reader
	left  int64 // bytes that may still be read
	buf   []byte
	begun bool
	json  bool  // JSON values, not server-sent events
	array bool  // the values stand in one array
	sawCR bool  // a line ended with CR: LF right after it belongs to it
	err   error // what Next gives from now on
}

// NewReader reads events from body.
func NewReader(body io.Reader) *Reader {
	return &Reader{in: bufio.NewReader(body), left: MaxReply}
}

// Next gives the next event; io.EOF after the last one. Other errors are
// ErrTooLarge or those of the body. After an error there is nothing more.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	e, err := r.next()
	if err != nil {
		r.err = err
		return Event{}, err
	}
	return e, nil
}

func (r *Reader) next() (Event, error) {
	if !r.begun {
		if err := r.begin(); err != nil {
			return Event{}, err
		}
	}
	if r.json {
		return r.nextJSON()
	}
	return r.nextSSE()
}

// begin skips a byte order mark and white space, and looks what follows.
func (r *Reader) begin() error {
	r.begun = true
	if mark, _ := r.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		r.in.Discard(3)
	}
	for {
		c, err := r.byte()
		if err != nil {
			return err
		}
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		case '[':
			r.json, r.array = true, true
			return nil
		case '{':
			r.json = true
		}
		r.unread()
		return nil
	}
}

func (r *Reader) byte() (byte, error) {
	if r.left <= 0 {
		return 0, ErrTooLarge
	}
	c, err := r.in.ReadByte()
	if err == nil {
		r.left--
	}
	return c, err
}

// unread puts back the byte that was just read.
func (r *Reader) unread() {
	if err := r.in.UnreadByte(); err == nil {
		r.left++
	}
}

// keep adds c to the event in the making.
func (r *Reader) keep(c byte) error {
	if len(r.buf) >= MaxEvent {
		return fmt.Errorf("one event: %w", ErrTooLarge)
	}
	r.buf = append(r.buf, c)
	return nil
}
