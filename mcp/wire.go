package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Bounds of the wire.
const (
	maxLine     = 16 << 20 // bytes of one message
	maxDepth    = 200      // nesting of one message
	maxRequests = 500      // that a server may send in a window
	window      = 10 * time.Second
	writeTime   = 5 * time.Second
	ringSize    = 64 << 10
)

// errBroken is a server that broke a bound of the wire: it is ended.
type errBroken struct{ why string }

func (e *errBroken) Error() string { return e.why }

// sieve passes a server's messages on, line by line, within bounds. It drops
// noise and counts it, and drops notifications that nobody waits for, so that
// a flood of them costs no more than reading.
type sieve struct {
	from *bufio.Reader
	to   *io.PipeWriter

	mu       sync.Mutex
	noise    int
	failed   *errBroken
	requests int
	since    time.Time
	changed  func() // told of tools/list_changed
}

// run ends when the stream does, or with what broke.
func (s *sieve) run() error {
	for {
		line, err := readLine(s.from)
		if err == nil || len(line) > 0 && errors.Is(err, io.EOF) {
			if passErr := s.pass(line); passErr != nil {
				err = passErr
			}
		}
		if err != nil {
			var broken *errBroken
			if errors.As(err, &broken) {
				s.mu.Lock()
				s.failed = broken
				s.mu.Unlock()
			}
			return errors.Join(err, s.to.CloseWithError(io.EOF))
		}
	}
}

// readLine reads to the next line feed, and no further than maxLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	var parts [][]byte
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if size > maxLine {
			return nil, &errBroken{fmt.Sprintf("it sent a message of over %d MiB", maxLine>>20)}
		}
		parts = append(parts, bytes.Clone(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.Join(parts, nil), err
		}
	}
}

// head is what a message says of itself.
type head struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// readable gives an answer's line, or in the place of one that the library
// cannot read, and would wait behind, an error that says so.
func (h head) readable(line []byte) []byte {
	why := ""
	var failure struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	switch {
	case h.Method != "", h.ID == nil:
	case len(h.Error) > 0 && h.Error[0] == '{' && json.Unmarshal(h.Error, &failure) != nil:
		why = "its answer is an error that cannot be read"
	case len(h.Error) == 0 && len(h.Result) == 0:
		why = "its answer holds neither a result nor an error"
	}
	if why == "" {
		return line
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, h.ID, why)
}

// pass gives one line on, or drops it.
func (s *sieve) pass(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if depth(line) > maxDepth {
		return &errBroken{fmt.Sprintf("it sent a message nested deeper than %d", maxDepth)}
	}
	var h head
	if line[0] != '{' || json.Unmarshal(line, &h) != nil {
		s.mu.Lock()
		s.noise++
		s.mu.Unlock()
		return nil
	}
	switch {
	case h.Method == "notifications/tools/list_changed":
		s.changed()
		return nil
	case h.Method != "" && h.ID == nil:
		return nil // messages and progress: nobody waits for them, and no deadline depends on them
	case h.Method != "" && s.tooMany():
		return &errBroken{fmt.Sprintf("it sent over %d requests within %s", maxRequests, window)}
	}
	_, err := s.to.Write(append(h.readable(line), '\n'))
	return err
}

func (s *sieve) tooMany() bool {
	if now := time.Now(); now.Sub(s.since) > window {
		s.since, s.requests = now, 0
	}
	s.requests++
	return s.requests > maxRequests
}

// depth is the deepest nesting of brackets outside of texts.
func depth(b []byte) int {
	deep, most, text := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			deep++
			most = max(most, deep)
		case c == '}' || c == ']':
			deep--
		}
	}
	return most
}

// timed is a server's input, each write of which has a deadline.
type timed struct{ *os.File }

// Write fails when the server does not read.
func (t timed) Write(b []byte) (int, error) {
	if err := t.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	n, err := t.File.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("it does not read what it is sent: %w", err)
	}
	return n, err
}

// ring keeps the last bytes of a server's stderr.
type ring struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails.
func (r *ring) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, b...)
	if over := len(r.data) - ringSize; over > 0 {
		r.data = append(r.data[:0], r.data[over:]...)
	}
	return len(b), nil
}

// tail gives the last lines, as they came.
func (r *ring) tail(lines, size int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := bytes.TrimSpace(r.data)
	if len(text) > size {
		text = text[len(text)-size:]
	}
	at := len(text)
	for range lines {
		i := bytes.LastIndexByte(text[:at], '\n')
		if i < 0 {
			return string(text)
		}
		at = i
	}
	return string(text[at+1:])
}
