package audit

import (
	"context"
	"errors"
	"os"
	"time"
)

// When the writer does what nobody waits for.
const (
	syncWithin      = 200 * time.Millisecond // an outcome becomes durable
	checkpointAfter = time.Second            // of silence
	checkpointEvery = 64                     // records
	lockWithin      = 30 * time.Second       // another process gives the lock back
	batchMost       = 256                    // records written with one sync
	reserveSize     = 1 << 20                // space kept for outcomes, recover and close
)

// A request is work for the writer: drafts to be written, or a function to be
// run under the lock, alone.
type request struct {
	drafts []*draft
	sync   bool // wait until they are durable
	run    func(w *writer) error
	done   chan error // holds one
}

// The writer owns the end of the log. It is one goroutine of one process; other
// processes write too, so what it knows holds only while it has the lock.
type writer struct {
	l   *Log
	ctx context.Context

	lock    File
	mayMake bool  // a session begins: keys and files may be made
	walk    *walk // nil: not loaded
	tail
	unwritten
	scratch
	broken error // a write or sync failed: the end of everything
}

// tail is the end of the log, as long as the lock is held.
type tail struct {
	at       place // where the next record goes
	seg      File  // the file of that place, open to append
	text     File  // its disclosures, nil until needed
	reserved int64 // how far space in seg is ours
	unnamed  bool  // the name of seg is not durable
}

// unwritten is what the writer owes the log when it has time.
type unwritten struct {
	dirty time.Time // since when records of ours are not durable; zero: all are
	since int64     // records since the last checkpoint
	state int64     // size at the last state
	last  checkpoint
	note  []byte
	quiet bool // the note and the disclosures are as new as the log
}

// scratch is memory that is used again.
type scratch struct {
	buf    []byte
	signed []byte // what is signed
	rec    record
	open   []disclosed
}

// loop serves until the log is closed.
func (w *writer) loop() {
	defer close(w.l.ended)
	var held *request
	idle := time.NewTimer(time.Hour)
	defer idle.Stop()
	for {
		req := held
		held = nil
		if w.pause() <= 0 { // nobody may keep the sync waiting by being busy
			w.rest()
		}
		if req == nil {
			idle.Reset(w.pause())
			select {
			case req = <-w.l.requests:
			case <-idle.C:
				w.rest()
				continue
			case <-w.l.quit:
				w.finish()
				return
			}
		}
		if req.run != nil {
			req.done <- w.alone(req.run)
			continue
		}
		batch := []*request{req}
		batch, held = w.gather(batch)
		w.commit(batch)
	}
}

// gather takes what else is waiting, so that it shares one sync.
func (w *writer) gather(batch []*request) (all []*request, held *request) {
	n := len(batch[0].drafts)
	for n < batchMost {
		select {
		case r := <-w.l.requests:
			if r.run != nil {
				return batch, r
			}
			batch = append(batch, r)
			n += len(r.drafts)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// pause is how long to wait for work before there is something else to do.
func (w *writer) pause() time.Duration {
	switch {
	case w.broken != nil:
		return time.Hour
	case !w.dirty.IsZero():
		return syncWithin - time.Since(w.dirty)
	case w.walk == nil:
		return time.Hour
	case w.since > 0 || !w.quiet:
		return checkpointAfter
	default:
		return time.Hour
	}
}

// rest does what is due after a pause.
func (w *writer) rest() {
	if !w.dirty.IsZero() {
		w.stop(w.sync())
		return
	}
	w.stop(w.locked(func() error { return w.checkpoint(true) }))
}

// stop ends everything if err says that the disk failed.
func (w *writer) stop(err error) {
	if err != nil && w.broken == nil && !soft(err) {
		w.broken = err
	}
	if w.broken != nil {
		w.l.fail(w.broken)
	}
}

// soft errors leave the log as it was.
func soft(err error) bool { return errors.Is(err, ErrFull) }

// finish makes what was written durable, and leaves.
func (w *writer) finish() {
	if w.broken == nil && (!w.dirty.IsZero() || w.since > 0) {
		w.stop(w.locked(func() error { return w.checkpoint(true) }))
	}
	var errs []error
	for _, f := range []File{w.seg, w.text, w.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	w.l.closeErr = errors.Join(errs...)
}

// alone runs a function under the lock.
func (w *writer) alone(run func(w *writer) error) error {
	if w.broken != nil {
		return &StoppedError{w.broken}
	}
	err := run(w)
	if w.broken != nil {
		w.l.fail(w.broken)
		return &StoppedError{w.broken}
	}
	return err
}

// locked runs a function while no other process writes, after what others wrote
// has been read.
func (w *writer) locked(do func() error) (err error) {
	if err := w.takeLock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.lock.Unlock()) }()
	if w.walk == nil {
		if err := w.load(); err != nil {
			return err
		}
	}
	if err := w.catchUp(); err != nil {
		return w.breakOff(err)
	}
	return do()
}

// breakOff marks a failure after which nothing may be written any more.
func (w *writer) breakOff(err error) error {
	if err != nil && w.broken == nil {
		w.broken = err
	}
	return err
}

func (w *writer) takeLock() error {
	if w.lock == nil {
		f, err := w.l.layer.Open(fileLock, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return err
		}
		w.lock = f
	}
	ctx, cancel := context.WithTimeoutCause(w.ctx, lockWithin, errors.New("it did not give the audit log back in time; end it, or wait"))
	defer cancel()
	if err := w.lock.Lock(ctx, true); err != nil {
		return w.breakOff(err)
	}
	ours, err := w.lock.Stat()
	if err != nil {
		return errors.Join(w.breakOff(err), w.lock.Unlock())
	}
	if there, err := w.l.layer.Stat(fileLock); err != nil || there.ID != ours.ID {
		err = &DamagedError{w.l.Head().Size, "its folder was replaced while we wrote into it"}
		return errors.Join(w.breakOff(err), w.lock.Unlock())
	}
	return nil
}

// commit writes the drafts of a batch and answers their callers.
func (w *writer) commit(batch []*request) {
	answered := false
	answer := func(err error) {
		answered = true
		for _, r := range batch {
			r.done <- err
		}
	}
	if w.broken != nil {
		answer(&StoppedError{w.broken})
		return
	}
	err := w.locked(func() error {
		sync := false
		var drafts []*draft
		for _, r := range batch {
			drafts = append(drafts, r.drafts...)
			sync = sync || r.sync
		}
		if err := w.write(drafts, sync); err != nil {
			return err
		}
		answer(nil)
		if err := w.flushText(); err != nil { // nobody waits for these
			return w.breakOff(err)
		}
		if w.since >= checkpointEvery {
			return w.checkpoint(false)
		}
		return nil
	})
	w.stop(err)
	if answered {
		return
	}
	if w.broken != nil {
		err = &StoppedError{w.broken}
	}
	answer(err)
}

// write appends drafts. Those that find no room have ErrFull as their err, and
// those of a session that is closed ErrClosed; the others are on the disk, or
// the writer is broken.
func (w *writer) write(drafts []*draft, sync bool) error {
	room := w.room(drafts)
	if room != nil && !isFull(room) {
		return w.breakOff(room)
	}
	w.buf = w.buf[:0]
	if room == nil {
		if err := w.rotate(drafts); err != nil && !isFull(err) {
			return w.breakOff(err)
		}
	}
	for _, d := range drafts {
		if room != nil && !d.must {
			d.err = ErrFull
			continue
		}
		if err := w.add(d); err != nil {
			return w.breakOff(err)
		}
	}
	if len(w.buf) == 0 {
		return nil
	}
	full, err := w.flush()
	if err != nil {
		return err
	}
	if full {
		return w.refuse(drafts)
	}
	w.l.setHead(w.walk.end())
	if sync || w.unnamed {
		return w.breakOff(w.sync())
	}
	return nil
}
