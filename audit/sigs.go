package audit

import (
	"crypto/ed25519"
	"runtime"
	"sync"
	"sync/atomic"
)

// signatures checks that records bear the signatures that the walk asked for.
type signatures interface {
	// add takes a record that stands at the given place in what is verified.
	add(at spot, key *PublicKey, r *record)
	// finish waits for all checks and names the first record that failed.
	finish() (spot, bool)
	// bad reports whether a failure is known already.
	bad() bool
}

// A spot is where a record stands for the reader of a report.
type spot struct {
	index int64 // from 0 in what is verified
	line  int64 // from 1 in the file, 0 when there are no lines
	seq   int64
	sid   [32]byte // as written; zero when it is not known
	file  int64    // number of the segment, 0 for an export
}

// everySignature checks all of them, on all cores, in batches.
type everySignature struct {
	jobs    chan *sigBatch
	free    chan *sigBatch
	current *sigBatch
	wait    sync.WaitGroup
	failed  atomic.Bool // asked for each batch, without a lock

	mu    sync.Mutex
	first spot // lowest index that failed
}

const sigBatchSize = 64

// A sigBatch is what one worker checks at a time. Its memory is used again.
type sigBatch struct {
	text  []byte
	items []sigItem
}

type sigItem struct {
	at       spot
	key      PublicKey
	sig      [64]byte
	from, to int
}

// newEverySignature starts the workers; finish ends them.
func newEverySignature() *everySignature {
	n := runtime.GOMAXPROCS(0)
	s := &everySignature{jobs: make(chan *sigBatch, n), free: make(chan *sigBatch, 3*n), current: &sigBatch{}}
	for range n {
		s.wait.Go(s.work)
	}
	return s
}

func (s *everySignature) work() {
	for b := range s.jobs {
		for i := range b.items {
			it := &b.items[i]
			if !ed25519.Verify(it.key[:], b.text[it.from:it.to], it.sig[:]) {
				s.fail(it.at)
			}
		}
		b.text, b.items = b.text[:0], b.items[:0]
		select {
		case s.free <- b:
		default:
		}
	}
}

func (s *everySignature) fail(at spot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed.Load() || at.index < s.first.index {
		s.first = at
	}
	s.failed.Store(true)
}

func (s *everySignature) add(at spot, key *PublicKey, r *record) {
	b := s.current
	from := len(b.text)
	b.text = append(append(b.text, contextRecord...), r.body...)
	b.items = append(b.items, sigItem{at, *key, r.sig, from, len(b.text)})
	if len(b.items) == sigBatchSize || len(b.text) > 1<<18 {
		s.send()
	}
}

func (s *everySignature) send() {
	s.jobs <- s.current
	select {
	case s.current = <-s.free:
	default:
		s.current = &sigBatch{}
	}
}

func (s *everySignature) bad() bool { return s.failed.Load() }

func (s *everySignature) finish() (spot, bool) {
	s.jobs <- s.current
	close(s.jobs)
	s.wait.Wait()
	return s.first, s.failed.Load()
}

// lastSignatures checks the signatures that vouch for all others: those of open
// and rekey records, which hand keys on, and the last one of each session,
// which covers the others by the chain. It proves the same bytes; it cannot
// say which of several records is the first bad one.
type lastSignatures struct {
	last   map[string]*lastRecord
	failed bool
	first  spot
}

type lastRecord struct {
	at   spot
	key  PublicKey
	body []byte
	sig  [64]byte
}

func newLastSignatures() *lastSignatures {
	return &lastSignatures{last: map[string]*lastRecord{}}
}

func (s *lastSignatures) add(at spot, key *PublicKey, r *record) {
	if !r.typ.inSession() {
		s.check(&lastRecord{at, *key, r.body, r.sig})
		return
	}
	if r.typ == typeClose {
		delete(s.last, string(r.sid))
		s.check(&lastRecord{at, *key, r.body, r.sig})
		return
	}
	l := s.last[string(r.sid)]
	if l == nil {
		l = &lastRecord{}
		s.last[string(r.sid)] = l
	}
	l.at, l.key, l.sig = at, *key, r.sig
	l.body = append(l.body[:0], r.body...)
}

func (s *lastSignatures) check(l *lastRecord) {
	if l.key.verify(contextRecord, l.body, &l.sig) {
		return
	}
	if !s.failed || l.at.index < s.first.index {
		s.first = l.at
	}
	s.failed = true
}

func (s *lastSignatures) bad() bool { return s.failed }

func (s *lastSignatures) finish() (spot, bool) {
	for _, l := range s.last {
		s.check(l)
	}
	return s.first, s.failed
}
