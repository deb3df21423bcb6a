package audit

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// room keeps space for the drafts, and for the end of the session behind them.
func (w *writer) room(drafts []*draft) error {
	n := w.at.offset + reserveSize
	for _, d := range drafts {
		n += int64(d.body.Size()) + 1024
	}
	if n <= w.reserved {
		return nil
	}
	if err := w.seg.Reserve(n + reserveSize); err != nil {
		return err
	}
	w.reserved = n + reserveSize
	return nil
}

// isFull reports whether err says that there is no space.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// refuse says that the disk was full. A record that may use the reserve and
// still found no space is the end: what happened could not be recorded.
func (w *writer) refuse(drafts []*draft) error {
	w.open = w.open[:0]
	for _, d := range drafts {
		if d.must {
			return w.breakOff(errors.New("the disk is full, and the space that was kept is used up"))
		}
		d.err = ErrFull
	}
	return nil
}

// flush writes the buffer. A disk that is full is no failure: what was written
// of the batch is taken back, and everything is as before.
func (w *writer) flush() (full bool, err error) {
	n, err := w.seg.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = fmt.Errorf("%d of %d bytes were written", n, len(w.buf))
	}
	if err != nil {
		cut := w.seg.Truncate(w.at.offset)
		if isFull(err) && cut == nil {
			w.walk = nil // it is ahead of the disk
			return true, nil
		}
		return false, w.breakOff(fmt.Errorf("the audit log could not be written: %w", errors.Join(err, cut)))
	}
	w.at.offset += int64(len(w.buf))
	w.quiet = false
	if w.dirty.IsZero() {
		w.dirty = time.Now()
	}
	return false, nil
}

// flushText writes the values of committed members. Where there is no space for
// them they are lost as if their salts had been deleted: the evidence itself
// is whole.
func (w *writer) flushText() error {
	if len(w.open) == 0 {
		return nil
	}
	if w.text == nil {
		f, err := openText(w.l.layer, w.at.segment)
		if err != nil {
			if isFull(err) {
				return nil
			}
			return err
		}
		w.text = f
	}
	var b []byte
	for _, d := range w.open {
		b = append(b, d.line()...)
	}
	w.open = w.open[:0]
	if _, err := w.text.Write(b); err != nil && !isFull(err) {
		return err
	}
	return nil
}

// openText opens the disclosures of a segment to append. A torn last line is
// ended, so that it spoils no other.
func openText(l Layer, segment int64) (File, error) {
	f, err := l.Open(disclosureName(segment), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size > 0 {
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, st.Size-1); err == nil && last[0] != '\n' {
			_, err = f.Write([]byte{'\n'})
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// sync makes what was written durable.
func (w *writer) sync() error {
	if w.seg == nil { // a load failed: nothing can follow what was written
		w.dirty = time.Time{}
		return nil
	}
	if err := w.seg.Sync(); err != nil {
		return fmt.Errorf("the audit log could not be made durable: %w", err)
	}
	if w.unnamed {
		if err := w.l.layer.SyncDir(dirLog); err != nil {
			return err
		}
		w.unnamed = false
	}
	w.dirty = time.Time{}
	return nil
}
