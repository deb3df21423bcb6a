package audit

import (
	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// begin writes the start of a session.
func (w *writer) begin(s *Session, info jcs.Builder) error {
	l := w.l.layer
	if err := l.Prepare(); err != nil {
		return err
	}
	for _, dir := range []string{dirLog, dirTorn, dirDisclosures} {
		if err := l.Mkdir(dir); err != nil {
			return err
		}
	}
	w.mayMake = true
	defer func() { w.mayMake = false }()
	return w.locked(func() error {
		if err := w.genesis(); err != nil {
			return err
		}
		if err := w.handOver(s, info); err != nil {
			return err
		}
		if err := w.recovered(s); err != nil {
			return err
		}
		return w.checkpoint(true)
	})
}

// genesis states, before the first record, that there is none: from then on
// the head file can never be missing.
func (w *writer) genesis() error {
	if w.walk.size > 0 {
		return nil
	}
	for _, dir := range []string{"", dirLog} {
		if err := w.l.layer.SyncDir(dir); err != nil {
			return err
		}
	}
	if err := w.checkpoint(false); err != nil {
		return err
	}
	return w.l.layer.SyncDir(dirLog)
}

// handOver writes the open record and replaces the key on disk by the next one:
// whoever steals it later can sign nothing before that record. A crash between
// two steps is finished by epochKey.
func (w *writer) handOver(s *Session, info jcs.Builder) error {
	l := w.l.layer
	next, seed, err := freshSigner(w.l.o.Rand)
	if err != nil {
		return err
	}
	defer next.forget()
	defer clear(seed)
	key, err := readKey(l, fileKey)
	if err != nil {
		return err
	}
	defer key.forget()
	if err := writeFile(l, fileKeyNext, seed); err != nil {
		return err
	}
	if err := l.SyncDir(""); err != nil {
		return err
	}
	info.Int("mono", 0)
	info.Text("spk", hexKey(s.key.public()))
	info.Text("next", hexKey(next.public()))
	w.buf, w.open = w.buf[:0], w.open[:0]
	if err := w.seal(typeOpen, s.sid, info, key, nil); err != nil {
		return w.breakOff(err)
	}
	full, err := w.flush()
	if err != nil {
		return err
	}
	if full {
		return ErrFull
	}
	if err := w.breakOff(w.sync()); err != nil {
		return err
	}
	w.l.setHead(w.walk.end())
	return w.breakOff(renameSynced(l, fileKeyNext, fileKey))
}

// listMost is how many entries one recover record has.
const listMost = 500

// recovered states what crashes left: torn pieces, and intents without an
// outcome whose process is gone.
func (w *writer) recovered(s *Session) error {
	pieces, err := w.tornPieces()
	if err != nil {
		return err
	}
	var torn, intents [][]byte
	for _, p := range pieces {
		var b jcs.Builder
		b.Int("bytes", p.bytes)
		b.Text("sha256", p.sum)
		torn = append(torn, b.Append(nil))
	}
	for _, in := range w.openIntents(func(in *openIntent) bool { return !in.listed && w.orphan(in) }) {
		var b jcs.Builder
		b.Text("of", hashText(in.hash))
		b.Text("sid", in.sid)
		b.Text("aid", in.aid)
		intents = append(intents, b.Append(nil))
	}
	var drafts []*draft
	for len(torn)+len(intents) > 0 {
		d := &draft{session: s, typ: typeRecover, must: true}
		t, i := min(listMost, len(torn)), min(listMost, len(intents))
		d.body.List("torn", torn[:t])
		d.body.List("intents", intents[:i])
		torn, intents = torn[t:], intents[i:]
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil
	}
	return w.write(drafts, true)
}
