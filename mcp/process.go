package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// A Box runs a server's process: an *ossandbox.Sandbox.
type Box interface {
	Run(ctx context.Context, c ossandbox.Command) (ossandbox.Result, error)
	Close() error
}

// ended is a reader whose close is its end, and no error to be told of.
type ended struct{ *io.PipeReader }

// Read implements io.Reader.
func (e ended) Read(b []byte) (int, error) {
	n, err := e.PipeReader.Read(b)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

// patience is how long a server has to end after the end of its input; the box
// then sends SIGTERM and, after as long again, SIGKILL.
const patience = 2 * time.Second

// process is one running server, with the ends of its streams that are ours.
type process struct {
	box    Box
	in     timed
	out    ended // of the sieve
	sieve  *sieve
	stderr ring
	cancel context.CancelFunc
	done   chan struct{} // closed when it and all its children have ended
	result ossandbox.Result
	err    error
}

// run starts a server in its box. The process lives until end is called.
func run(box Box, c ossandbox.Command, changed func()) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	ctx, cancel := context.WithCancel(context.Background()) // ended by end, not by the call that started it
	reader, writer := io.Pipe()
	p := &process{box: box, in: timed{in}, out: ended{reader}, cancel: cancel, done: make(chan struct{})}
	p.sieve = &sieve{from: bufio.NewReaderSize(out, 64<<10), to: writer, changed: changed}
	c.Stdin, c.Stdout, c.Stderr = childIn, childOut, &p.stderr
	sieved := make(chan struct{})
	go func() {
		defer close(sieved)
		if err := p.sieve.run(); err != nil && !errors.Is(err, io.EOF) {
			cancel() // it broke a bound
		}
		_, _ = io.Copy(io.Discard, out) // until it is dead: nobody reads it any more
	}()
	go func() {
		p.result, p.err = box.Run(ctx, c)
		// Our copies of its ends: closing them is what ends the readers.
		p.err = errors.Join(p.err, childIn.Close(), childOut.Close())
		<-sieved
		_ = out.Close() // read to its end
		close(p.done)
	}()
	return p, nil
}

// end ends the process and all it started, and waits for it.
func (p *process) end() error {
	_ = p.in.Close() // a server that is gone has closed it already
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	p.cancel()
	_ = p.out.Close() // lets the sieve go on to the end of a stream that nobody reads
	<-p.done
	return p.box.Close()
}

// gone says that the process has ended.
func (p *process) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// fate says how it ended, or what it broke, with its last words. It waits a
// moment for an end that is under way.
func (p *process) fate() string {
	select {
	case <-p.done:
	case <-time.After(500 * time.Millisecond):
	}
	p.sieve.mu.Lock()
	broken := p.sieve.failed
	p.sieve.mu.Unlock()
	why := ""
	switch {
	case broken != nil:
		why = broken.why + ", and was ended"
	case !p.gone():
		why = "it runs, and does not answer"
	case p.err != nil:
		why = "it could not be run: " + p.err.Error()
	case p.result.Signal != 0:
		why = fmt.Sprintf("it was ended by %s", p.result.Signal)
	default:
		why = fmt.Sprintf("it ended with exit status %d", p.result.ExitCode)
	}
	if last := p.stderr.tail(5, 2000); last != "" {
		why += "; its last words:"
		for _, line := range visible.StrictLines(last) {
			why += "\n  " + line
		}
	}
	return why
}
