package audit

import (
	"encoding/hex"
	"fmt"
	"os"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// add gives a draft its place in the chain, signs it, and appends it to the
// buffer. The walk that the verifier uses checks it on the way.
func (w *writer) add(d *draft) error {
	m := w.walk.sids[d.session.sid]
	if m == nil {
		d.err = ErrClosed
		return nil
	}
	b := d.body
	b.Int("n", m.n+1)
	b.Text("sprev", hashText(m.head))
	mono := w.l.o.Now().Sub(d.session.began).Milliseconds()
	b.Int("mono", max(mono, m.mono))
	if d.typ == typeClose {
		b.Int("records", m.n+2) // the open and this one counted
	}
	if err := w.seal(d.typ, d.session.sid, b, d.session.key, nil); err != nil {
		return err
	}
	d.hash, d.seq = w.walk.head, w.walk.size-1
	for _, o := range d.open {
		w.open = append(w.open, disclosed{d.seq, o})
	}
	return nil
}

// seal completes a record, signs it, and takes the walk past it. A rekey is
// signed by the new root as well.
func (w *writer) seal(t recordType, sid string, b jcs.Builder, key signer, root *signer) error {
	b.Int("v", 1)
	b.Text("log", w.walk.log)
	b.Int("seq", w.walk.size)
	b.Text("prev", hashText(w.walk.head))
	b.Text("sid", sid)
	b.Text("ts", w.l.o.Now().UTC().Format(timeForm))
	b.Text("type", t.name())
	if root != nil {
		b.Text("rsig", root.sign(contextRekey, b.Append(nil)))
	}
	w.signed = b.Append(append(w.signed[:0], contextRecord...))
	b.Text("sig", key.signText(w.signed))
	from := len(w.buf)
	w.buf = b.Append(w.buf)
	line := w.buf[from:]
	f := w.rec.parse(line, true)
	if f == nil {
		_, f = w.walk.next(&w.rec)
	}
	if f != nil {
		return fmt.Errorf("a record that we made is none (please report this): %w", f)
	}
	w.walk.take(&w.rec, place{w.at.segment, w.at.offset + int64(from)})
	w.buf = append(w.buf, '\n')
	w.since++
	return nil
}

// rotate begins a new segment when the present one is full, or is of an earlier
// month: purging goes by whole segments. It takes a session of ours to sign it.
func (w *writer) rotate(drafts []*draft) error {
	month := w.l.o.Now().UTC().Format(timeForm)[:7]
	due := w.at.offset >= w.l.o.segmentSize || w.at.offset > 0 && w.walk.month != "" && month > w.walk.month
	begun := w.at.offset == 0 && w.at.segment > 1 // by somebody who came no further
	var s *Session
	for _, d := range drafts {
		if w.walk.sids[d.session.sid] != nil {
			s = d.session
		}
	}
	if s == nil || !due && !begun {
		return nil
	}
	if due {
		if err := w.newSegment(); err != nil {
			return err
		}
	}
	d := &draft{session: s, typ: typeSegment}
	d.body.Int("segment", w.at.segment)
	return w.add(d)
}

// newSegment ends the present file and opens the next. The end of the old one
// must be durable first, else a crash could leave a hole in the chain.
func (w *writer) newSegment() error {
	if err := w.sync(); err != nil {
		return w.breakOff(err)
	}
	next := place{segment: w.at.segment + 1}
	f, err := w.l.layer.Open(segmentName(next.segment), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	if err := w.seg.Truncate(w.at.offset); err != nil { // gives back what was reserved
		return w.breakOff(err)
	}
	return w.moveTo(f, next)
}

// moveTo makes f, at a place in it, the end of the log.
func (w *writer) moveTo(f File, at place) error {
	for _, old := range []File{w.seg, w.text} {
		if old == nil {
			continue
		}
		if err := old.Close(); err != nil {
			return w.breakOff(err)
		}
	}
	w.seg, w.text, w.at = f, nil, at
	w.reserved, w.unnamed = 0, true // whoever made it may have come no further
	return nil
}

// checkpoint states in the head file how far the log goes, once that is
// durable. With the note it also writes C2SP's form, and syncs disclosures.
func (w *writer) checkpoint(withNote bool) error {
	if !w.dirty.IsZero() {
		if err := w.breakOff(w.sync()); err != nil {
			return err
		}
	}
	key, err := readKey(w.l.layer, fileKey)
	if err != nil {
		return w.breakOff(err)
	}
	defer key.forget()
	if key.public() != w.walk.epoch {
		return w.breakOff(&KeyError{"audit_key does not fit the log any more: it was replaced while we wrote", waysOut})
	}
	c := checkpointOf(w.walk, w.l.o.Now(), key)
	w.last = c
	if withNote {
		w.note = c.note(key)
	}
	slots, slot, err := readSlots(w.l.layer)
	for _, old := range slots {
		if old.size > c.size { // somebody else's: load refuses one that we signed
			slot = old.slot
		}
	}
	if err == nil {
		err = writeSlot(w.l.layer, slot, &c)
	}
	if isFull(err) {
		return nil // the old slots stand; the log is whole without a new one
	}
	if err != nil {
		return w.breakOff(err)
	}
	w.since = 0
	if !withNote && w.walk.size-w.state < stateEvery {
		return nil
	}
	return w.breakOff(w.rewrite(&c, key, withNote))
}

// rewrite renews the files that can be made again. A full disk leaves the old
// ones.
func (w *writer) rewrite(c *checkpoint, key signer, withNote bool) error {
	err := writeCache(w.l.layer, fileState, fileStateTemp, encodeState(w.walk, w.at, key, w.l.o.Now(), w.gone))
	w.state = w.walk.size
	if withNote && err == nil {
		err = replaceFile(w.l.layer, fileNote, fileNoteTemp, w.note)
		if w.text != nil && err == nil {
			err = w.text.Sync()
		}
		w.quiet = true
	}
	if isFull(err) {
		return nil
	}
	return err
}

// gone reports whether nobody can write for a session any more.
func (w *writer) gone(m *member) bool {
	return !w.l.hasSession(m.sid) && w.l.o.processes.gone(m.proc)
}

func hexKey(k PublicKey) string { return hex.EncodeToString(k[:]) }
