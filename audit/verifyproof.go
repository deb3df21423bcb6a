package audit

import (
	"context"
	"errors"
	"io"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

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
