package audit

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// rest checks what stands beside the records of an export.
func (x *exportTrial) rest() (spot, *fault) {
	if x.format != exportFormat {
		return spot{}, faultf(kindFormat, "there is no member format %q", exportFormat)
	}
	c, f := x.endCheckpoint()
	if f != nil {
		return x.end(), f
	}
	if x.walk.partial {
		if f := x.partial(&c); f != nil {
			return x.end(), f
		}
	}
	if _, ok := x.seen["disclosures"]; ok {
		return x.disclosed()
	}
	return spot{}, nil
}

// endCheckpoint compares the end of the records with what the checkpoint
// states. Without one, nobody could see that the end was cut off.
func (x *exportTrial) endCheckpoint() (checkpoint, *fault) {
	w := x.walk
	if x.checkpoint == nil {
		return checkpoint{}, faultf(kindCheckpoint, "there is no signed checkpoint, so that a cut end would not be seen")
	}
	c, f := parseCheckpoint(x.checkpoint, false)
	switch {
	case f != nil:
		return c, f
	case c.size > w.size:
		return c, faultf(kindTruncated, "the checkpoint states %d records, and the export ends with record %d", c.size, w.size-1)
	case c.size < w.size || c.head != w.head:
		return c, faultf(kindCheckpoint, "the checkpoint does not state the record that the export ends with")
	case c.log != w.log:
		return c, faultf(kindSplice, "the checkpoint belongs to the log %s and not to %s", c.log, w.log)
	case !c.signedBy(w.epoch):
		return c, faultf(kindSignature, "the checkpoint is not signed by the key in force at the end")
	case !w.partial && c.root != w.tree.Root():
		return c, faultf(kindCheckpoint, "the checkpoint states another tree hash")
	}
	return c, nil
}

// partial checks an export of single sessions. The chain of the log has gaps
// there; what holds it together is: every open and rekey (else the keys would
// not fit), the chain of each session, and the exporter's last two records,
// which the checkpoint names and which state how far each session goes.
func (x *exportTrial) partial(c *checkpoint) *fault {
	w := x.walk
	last := &x.last
	byExporter := last.typ == typeClose && w.exported != nil && last.sprev == w.exported.hash && last.seq == c.size-1
	if !byExporter {
		return faultf(kindTruncated, "the export does not end with the event and the close of who exported it")
	}
	exporter := string(last.sid[:])
	stated := map[string]given{}
	for _, g := range w.exported.given {
		stated[g.sid] = g
	}
	proven := map[string]bool{}
	for _, p := range x.proofs {
		have, ok := w.chainOf(p.sid)
		want, said := stated[p.sid]
		if !ok || p.index != have.last || proven[p.sid] ||
			!merkle.Included(have.leaf, p.index, c.size, p.path, c.root) || p.size != c.size {
			return faultf(kindSessionChain, "the last record of session %s is not proven to be in the log", p.sid)
		}
		if p.sid != exporter && (!said || want.n != have.n || want.head != have.head) {
			return faultf(kindTruncated, "session %s does not end where the exporter stated", p.sid)
		}
		proven[p.sid] = true
	}
	for sid := range stated {
		if !proven[sid] {
			return faultf(kindMissing, "session %s is not in the export, although the exporter gave it", sid)
		}
	}
	for _, sid := range w.chains() {
		if have, _ := w.chainOf(sid); have.n > 0 && have.last > 0 && !proven[sid] {
			return faultf(kindSessionChain, "session %s is in the export without a proof of its end", sid)
		}
	}
	if !proven[exporter] {
		return faultf(kindSessionChain, "the exporter's own session has no proof")
	}
	return nil
}

func (w *walk) chainOf(sid string) (given, bool) {
	if m := w.sids[sid]; m != nil {
		return m.given, true
	}
	g, ok := w.done[sid]
	return g, ok
}

func (w *walk) chains() []string {
	return append(sortedKeys(w.sids), sortedKeys(w.done)...)
}

// disclosed compares the disclosures with the commitments in their records.
// Both stand in the order of seq, so that one pass over each is enough.
func (x *exportTrial) disclosed() (spot, *fault) {
	recs := &listReader{x: x, name: "records"}
	dis := &listReader{x: x, name: "disclosures"}
	if err := errors.Join(recs.open(), dis.open()); err != nil {
		return x.end(), faultf(kindMalformed, "disclosures: %v", err)
	}
	var rec record
	var doc jcs.Doc
	seq := int64(-1)
	for n := int64(0); ; n++ {
		b, err := dis.next()
		if errors.Is(err, io.EOF) {
			return spot{}, nil
		}
		if err != nil {
			return x.end(), faultf(kindMalformed, "disclosures: %v", err)
		}
		at := spot{index: x.walk.count, line: dis.s.line}
		if doc.Parse(b, jcs.Rules{Depth: 1}) != nil {
			return at, faultf(kindMalformed, "disclosure %d is not {name, sd, seq}", n)
		}
		d, ok := parseDisclosed(doc.Root())
		name, _, opens := openDisclosure(d.text)
		if !ok || !opens || name != d.name || doc.Root().Len() != 3 {
			return at, faultf(kindMalformed, "disclosure %d is not {name, sd, seq}", n)
		}
		for seq < d.seq {
			b, err := recs.next()
			if err != nil || rec.parse(bytes.Clone(b), false) != nil {
				return at, faultf(kindMalformed, "disclosure %d is of record %d, which is not here or not in its turn", n, d.seq)
			}
			seq = rec.seq
		}
		if seq != d.seq || !bytes.Contains(rec.line, []byte(`"`+d.digest()+`"`)) {
			return at, faultf(kindSplice, "disclosure %d opens no commitment of record %d", n, d.seq)
		}
	}
}

// A listReader reads a list of the export once more: the records, or the
// disclosures.
type listReader struct {
	x     *exportTrial
	name  string
	s     *splitter
	begun bool
}

func (l *listReader) open() error {
	at, ok := l.x.seen[l.name]
	if !ok {
		return errors.New("there are no " + l.name)
	}
	l.s = newSplitter(l.x.r, l.x.size, at.at, at.line)
	if l.x.lines {
		return nil
	}
	open, err := l.s.take('[')
	if err != nil || !open {
		return errors.Join(errText, err)
	}
	return nil
}

// next gives the next value; at the end of the list the error is io.EOF.
func (l *listReader) next() ([]byte, error) {
	if l.x.lines {
		return l.nextLine()
	}
	c, err := l.s.peek()
	if err != nil {
		return nil, end(err)
	}
	switch {
	case c == ']':
		return nil, io.EOF
	case l.begun && c != ',':
		return nil, errText
	case l.begun:
		l.s.skip(1)
	}
	l.begun = true
	return l.s.value(maxDisclosureLine)
}

// nextLine gives the next line of the wanted kind.
func (l *listReader) nextLine() ([]byte, error) {
	for {
		if _, err := l.s.peek(); err != nil {
			return nil, err
		}
		b, err := l.s.value(maxDisclosureLine)
		if err != nil {
			return nil, err
		}
		inner, isDisclosure := bytes.CutPrefix(b, []byte(`{"disclosure":`))
		if isDisclosure && l.name == "disclosures" {
			return bytes.TrimSuffix(inner, []byte{'}'}), nil
		}
		if !isDisclosure && l.name == "records" && bytes.Contains(b, []byte(`"type"`)) {
			return b, nil
		}
	}
}

// verifyProof checks a proof that one record is in the log.
func verifyProof(ctx context.Context, r io.ReaderAt, size int64, o VerifyOptions) (Report, error) {
	const most = 64 << 20
	if size > most {
		return Report{}, errors.New("a proof is not that long")
	}
	b := make([]byte, size)
	if _, err := r.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return Report{}, err
	}
	t := newTrial(ctx, o, true)
	var doc jcs.Doc
	if err := doc.Parse(b, jcs.Rules{Depth: maxDepth + 2}); err != nil {
		t.bad(spot{}, faultf(kindMalformed, "%v", err))
	} else if f := t.proven(doc.Root()); f != nil {
		t.bad(spot{}, f)
	}
	_, _ = t.sigs.finish() // nothing was handed to them
	rep := t.report()
	rep.Complete = false
	return rep, nil
}

// proven checks: the keys by the open and rekey records, the record by the key
// of its session, the checkpoint by the key in force at its size, and the place
// of the record by the path.
func (t *trial) proven(v jcs.Value) *fault {
	for name := range v.All {
		switch name {
		case "format", "record", "index", "path", "opens", "checkpoint":
		default:
			return faultf(kindFormat, "a proof has no member %.100q", name)
		}
	}
	if format, _ := v.Get("format").Text(); format != proofFormat {
		return faultf(kindFormat, "the format is not %q", proofFormat)
	}
	c, f := parseCheckpoint(v.Get("checkpoint").Raw(), false)
	if f != nil {
		return f
	}
	var rec record
	if f := rec.parse(v.Get("record").Raw(), false); f != nil {
		return f
	}
	index, _ := v.Get("index").Int()
	path, ok := parsePath(v.Get("path"))
	if !ok || index != rec.seq || !merkle.Included(merkle.Leaf(rec.line), index, c.size, path, c.root) {
		return faultf(kindChain, "the path does not lead from the record to the tree of the checkpoint")
	}
	key, f := t.keysUntil(v.Get("opens"), c.size, &rec)
	switch {
	case f != nil:
		return f
	case !c.signedBy(t.walk.epoch) || c.log != t.walk.log:
		return faultf(kindSignature, "the checkpoint is not signed by the key in force at its size")
	case key != nil && !key.verify(contextRecord, rec.body, &rec.sig):
		return faultf(kindSignature, "the record is not signed by the key of its session")
	}
	t.walk.size, t.walk.head, t.walk.count = c.size, c.head, 1
	if f := t.anchors.at(t.walk); f != nil {
		return f
	}
	t.rep.OK = true
	return nil
}

// keysUntil follows the open and rekey records, and gives the key of the
// record's session: none when the record is one of them.
func (t *trial) keysUntil(opens jcs.Value, size int64, rec *record) (*PublicKey, *fault) {
	s := startStub(t.walk)
	s.size = size
	m := &member{given: given{sid: string(rec.sid)}}
	s.sessions[m.sid] = m
	found := false
	for _, v := range opens.All {
		if f := s.rec.parse(v.Raw(), false); f != nil {
			return nil, f
		}
		if f := s.record(&s.rec); f != nil {
			return nil, f
		}
		found = found || s.rec.hash == rec.hash
	}
	switch {
	case !t.walk.begun:
		return nil, faultf(kindGenesis, "no record here is vouched for by the key %s", t.opts.Key.LogID())
	case found:
		return nil, nil
	case !rec.typ.inSession() || !s.met[m.sid]:
		return nil, faultf(kindSession, "the proof does not hold the open of the record's session")
	}
	return &m.key, nil
}
