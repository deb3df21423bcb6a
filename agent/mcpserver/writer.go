package mcpserver

import (
	"context"
	"io"
	"time"
)

// grace is how long a client may take to read what is left for it, once the
// server ends.
const grace = 2 * time.Second

// A writer puts lines on the output of one client, one after the other. A
// client that does not read holds up those who write; it does not keep the
// server from ending.
type writer struct {
	out    io.Writer
	lines  chan []byte
	failed chan error    // gets the first error of writing; nothing is written after it
	quit   chan struct{} // closed when no line comes any more
	done   chan struct{} // closed when the last line is written
	left   chan struct{} // closed when the client has had its time
}

// newWriter starts a writer. Its time begins to run out when ctx ends.
func newWriter(ctx context.Context, out io.Writer) *writer {
	w := &writer{out: out, lines: make(chan []byte), failed: make(chan error, 1), quit: make(chan struct{}), done: make(chan struct{}), left: make(chan struct{})}
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { close(w.left) }) })
	go w.run() // end waits for it, as long as the client has time
	return w
}

func (w *writer) run() {
	defer close(w.done)
	broken := false
	for {
		select {
		case line := <-w.lines:
			if broken {
				continue
			}
			if _, err := w.out.Write(append(line, '\n')); err != nil {
				broken = true
				w.failed <- err
			}
		case <-w.quit:
			return
		}
	}
}

// write hands a line over. It waits for the client, and for no longer than
// the client has.
func (w *writer) write(line []byte) {
	select {
	case w.lines <- line:
	case <-w.left:
	}
}

// end waits until the last line is written, or the client has had its time: a
// write that still waits for a client ends with the process.
func (w *writer) end() {
	close(w.quit)
	select {
	case <-w.done:
	case <-w.left:
	}
}
