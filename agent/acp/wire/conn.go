package wire

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"
)

// A Handler takes what the peer sends, one message after the other. It must
// not wait for an answer of the peer.
type Handler interface {
	Request(r *Request)
	Notification(method string, params json.RawMessage)
}

// Lengths of the queues, in messages.
const (
	workRoom = 64
	outRoom  = 256
)

// lastWork is how long messages are still handled when the peer has ended, and
// maxStall how long it may read nothing before it counts as gone.
const (
	lastWork = time.Second
	maxStall = 5 * time.Minute
)

// ErrGone says that the peer is not there any more.
var ErrGone = errors.New("the other side is gone")

// A Conn is one connection.
type Conn struct {
	in     lines
	out    io.Writer
	queue  chan []byte
	dead   chan struct{} // closed when nothing can be written any more
	wrote  chan struct{} // closed when the writer has ended
	prefix string        // of our ids
	die    sync.Once     // closes dead: the writer finds it out, and so does who closes

	mu      sync.Mutex
	last    uint64
	closed  bool                                     // no answer comes any more
	waiting map[string]func(json.RawMessage, *Error) // by id, as JSON
}

// New makes a connection of two pipes. Run it, then Close it.
func New(in io.Reader, out io.Writer) *Conn {
	return &Conn{
		in: newLines(in), out: out, queue: make(chan []byte, outRoom), dead: make(chan struct{}), wrote: make(chan struct{}),
		prefix: rand.Text(), waiting: map[string]func(json.RawMessage, *Error){},
	}
}

// Run handles messages until the peer closes its side, cannot be written to,
// or ctx ends. Then all calls that wait have failed. The goroutines that read
// and write may outlive it, in a read or a write that nobody can end.
func (c *Conn) Run(ctx context.Context, h Handler) {
	go c.write()
	work := make(chan message, workRoom)
	stop, ended, worked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(work)
		c.read(work, stop)
	}()
	go func() {
		defer close(worked)
		c.work(h, work, stop)
	}()
	select {
	case <-ended:
		c.failAll()
		select { // what was said before the end still counts
		case <-worked:
		case <-c.dead:
		case <-ctx.Done():
		case <-time.After(lastWork):
		}
	case <-c.dead:
	case <-ctx.Done():
	}
	close(stop)
	c.failAll()
	select {
	case <-worked:
	case <-c.dead:
	case <-time.After(lastWork):
	}
}

// read decodes lines. Answers are taken at once; the rest is work.
func (c *Conn) read(work chan<- message, stop <-chan struct{}) {
	for {
		line, err := c.in.next()
		if errors.Is(err, errLong) {
			c.answer(nil, nil, &Error{CodeRequest, "the line is too long"})
			continue
		}
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		m, bad := decode(line)
		switch {
		case bad != nil:
			c.answer(m.id, nil, bad)
		case m.kind == response:
			c.take(m)
		default:
			select {
			case work <- m:
			case <-stop:
				return
			}
		}
	}
}

// work hands messages to the handler, in order.
func (c *Conn) work(h Handler, work <-chan message, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case m, more := <-work:
			if !more {
				return
			}
			if m.kind == request {
				h.Request(&Request{Method: m.method, Params: m.params, ID: m.id, conn: c})
			} else {
				h.Notification(m.method, m.params)
			}
		}
	}
}

// write sends what is queued.
func (c *Conn) write() {
	defer close(c.wrote)
	for {
		select {
		case line := <-c.queue:
			if line == nil {
				return
			}
			if _, err := c.out.Write(line); err != nil {
				c.gone()
				return
			}
		case <-c.dead:
			return
		}
	}
}

func (c *Conn) gone() { c.die.Do(func() { close(c.dead) }) }

// Close sends what is queued still, for as long as wait says, and ends the
// writer.
func (c *Conn) Close(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case c.queue <- nil:
	case <-c.dead:
	case <-timer.C:
	}
	select {
	case <-c.wrote:
	case <-timer.C:
	}
	c.gone()
}

// send queues a message. It waits while the peer does not read.
func (c *Conn) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	select {
	case <-c.dead:
		return ErrGone
	default:
	}
	stalled := time.NewTimer(maxStall)
	defer stalled.Stop()
	select {
	case c.queue <- append(line, '\n'):
		return nil
	case <-c.dead:
		return ErrGone
	case <-stalled.C:
		c.gone()
		return ErrGone
	}
}

type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	return c.send(outgoing{"2.0", nil, method, params})
}

// Start sends a request. done is called once, with the answer or with what
// became of it, and must not wait for the peer. cancel gives the call up: the
// peer is told, and done is called with CodeCancelled unless it was before.
func (c *Conn) Start(method string, params any, done func(json.RawMessage, *Error)) (cancel func()) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		done(nil, &Error{CodeInternal, ErrGone.Error()})
		return func() {}
	}
	c.last++
	id := strconv.Quote(c.prefix + "-" + strconv.FormatUint(c.last, 10))
	c.waiting[id] = done
	c.mu.Unlock()
	if err := c.send(outgoing{"2.0", json.RawMessage(id), method, params}); err != nil {
		c.settle(id, nil, &Error{CodeInternal, err.Error()})
	}
	return func() {
		if c.settle(id, nil, &Error{CodeCancelled, "the call was given up"}) {
			_ = c.Notify("$/cancel_request", map[string]any{"requestId": json.RawMessage(id)}) // who is gone needs no word
		}
	}
}

// Call is Start, and waits for the answer or the end of ctx.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, *Error) {
	type answer struct {
		result json.RawMessage
		err    *Error
	}
	got := make(chan answer, 1)
	cancel := c.Start(method, params, func(result json.RawMessage, err *Error) { got <- answer{result, err} })
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
		cancel()
		a := <-got
		return a.result, a.err
	}
}

// take gives an answer to the call that waits for it. Others are dropped.
func (c *Conn) take(m message) { c.settle(string(m.id), m.result, m.err) }

// settle ends a call, once.
func (c *Conn) settle(id string, result json.RawMessage, err *Error) bool {
	c.mu.Lock()
	done, ok := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if ok {
		done(result, err)
	}
	return ok
}

// failAll ends every call that waits, and those to come.
func (c *Conn) failAll() {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting, c.closed = map[string]func(json.RawMessage, *Error){}, true
	c.mu.Unlock()
	for _, done := range waiting {
		done(nil, &Error{CodeInternal, ErrGone.Error()})
	}
}

// A Request is one request of the peer. It is answered once.
type Request struct {
	Method string
	Params json.RawMessage
	ID     json.RawMessage

	conn *Conn
	once sync.Once // its handler and the end of its turn may both answer
}

// Reply answers with a result.
func (r *Request) Reply(result any) {
	r.once.Do(func() { r.conn.answer(r.ID, result, nil) })
}

// Fail answers with an error.
func (r *Request) Fail(code int, message string) {
	r.once.Do(func() { r.conn.answer(r.ID, nil, &Error{code, message}) })
}

// answer sends a response; a nil id is that of a message which had none.
func (c *Conn) answer(id json.RawMessage, result any, failed *Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	if failed != nil {
		_ = c.send(struct { // who is gone needs no answer
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *Error          `json:"error"`
		}{"2.0", id, failed})
		return
	}
	_ = c.send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}
