package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Options are what a log takes from outside. Only Dir must be given.
type Options struct {
	Dir      string           // state folder, such as ~/.tera_pilot
	Redactor *secret.Redactor // masks secrets; nil masks the known shapes
	Now      func() time.Time // nil: time.Now
	Rand     io.Reader        // nil: crypto/rand
	Layer    Layer            // file system; nil: the real one at Dir

	segmentSize int64     // a segment that is larger is ended
	processes   processes // who is still there
}

func (o Options) filled() (Options, error) {
	if o.Dir == "" && o.Layer == nil {
		return o, errors.New("the audit log needs a state folder")
	}
	if o.Redactor == nil {
		o.Redactor = secret.New()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Layer == nil {
		o.Layer = OSLayer(o.Dir)
	}
	if o.segmentSize == 0 {
		o.segmentSize = 64 << 20
	}
	if o.processes == nil {
		o.processes = procfs{}
	}
	return o, nil
}

// A Log is the writing side of the log in one state folder. It may be used by
// several goroutines, and by several processes at the same time.
type Log struct {
	o       Options
	layer   Layer
	drafter drafter

	requests chan *request
	quit     chan struct{} // closed by Close
	ended    chan struct{} // closed when the writer is gone
	closing  sync.Once
	cancel   context.CancelFunc
	closeErr error

	failed  chan struct{} // closed when err is set
	failing sync.Once
	err     atomic.Pointer[StoppedError] // set by the writer, once; asked by everybody, who must not wait for a sync
	head    atomic.Pointer[Head]         // likewise, after each batch

	mu       sync.Mutex
	sessions map[string]bool // those of this Log, by sid
}

// Open prepares the log below o.Dir and starts its writer; Close ends it. It
// makes no key and writes nothing: the first Session does.
func Open(ctx context.Context, o Options) (*Log, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	// The writer outlives a request that is cancelled: what was decided is
	// still recorded.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &Log{
		o: o, layer: o.Layer, drafter: drafter{o.Redactor, o.Rand},
		requests: make(chan *request), quit: make(chan struct{}), ended: make(chan struct{}), cancel: cancel,
		failed: make(chan struct{}), sessions: map[string]bool{},
	}
	w := &writer{l: l, ctx: ctx}
	go w.loop() // Close waits for it
	return l, nil
}

// Close makes what was written durable and ends the writer. Sessions that are
// still open are left as a crash would leave them.
func (l *Log) Close() error {
	l.closing.Do(func() { close(l.quit) })
	<-l.ended
	l.cancel()
	return l.closeErr
}

// Head is the end of the log as this process last saw it. Its size is 0 before
// the first session.
func (l *Log) Head() Head {
	if h := l.head.Load(); h != nil {
		return *h
	}
	return Head{}
}

func (l *Log) setHead(h Head) { l.head.Store(&h) }

// Failed is closed when the log has stopped for good; Err then says why.
func (l *Log) Failed() <-chan struct{} { return l.failed }

// Err is a [*StoppedError] when the log has stopped, else nil.
func (l *Log) Err() error {
	if e := l.err.Load(); e != nil {
		return e
	}
	return nil
}

func (l *Log) fail(cause error) {
	l.failing.Do(func() {
		l.err.Store(&StoppedError{cause})
		close(l.failed)
	})
}

func (l *Log) hasSession(sid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sessions[sid]
}

func (l *Log) setSession(sid string, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if open {
		l.sessions[sid] = true
	} else {
		delete(l.sessions, sid)
	}
}

// do hands work to the writer and waits for it.
func (l *Log) do(r *request) error {
	r.done = make(chan error, 1)
	select {
	case l.requests <- r:
		return <-r.done
	case <-l.ended:
		return ErrClosed
	}
}

// submit writes drafts; the first that was not taken gives its error.
func (l *Log) submit(sync bool, drafts ...*draft) error {
	if err := l.do(&request{drafts: drafts, sync: sync}); err != nil {
		return err
	}
	for _, d := range drafts {
		if d.err != nil {
			return d.err
		}
	}
	return nil
}

// withLog runs a function under the lock, with the log read up to its end. It
// fails with ErrNoLog when there is none.
func (l *Log) withLog(do func(w *writer) error) error {
	return l.do(&request{run: func(w *writer) error {
		if _, err := l.layer.Stat(dirLog); missing(err) {
			return ErrNoLog
		}
		return w.locked(func() error { return do(w) })
	}})
}

// randomHex is n random bytes in hex.
func randomHex(r io.Reader, n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", fmt.Errorf("no randomness for an id: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// NewAID is a fresh id for an action: 128 random bits in hex.
func (l *Log) NewAID() (string, error) { return randomHex(l.o.Rand, 16) }
