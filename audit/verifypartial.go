package audit

import (
	"encoding/hex"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

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

// A proof says that a record is in the tree: the last one of a session.
type proof struct {
	sid   string
	index int64
	size  int64
	path  []merkle.Hash
}

// proof takes one inclusion proof.
func (x *exportTrial) proof(b []byte) error {
	var doc jcs.Doc
	bad := faultf(kindMalformed, "a proof is not {index, path, sid, size}")
	if doc.Parse(b, jcs.Rules{Depth: 3}) != nil {
		return bad
	}
	root := doc.Root()
	sid, _ := root.Get("sid").Bytes()
	index, ok1 := root.Get("index").Int()
	size, ok2 := root.Get("size").Int()
	path, ok3 := parsePath(root.Get("path"))
	if !ok1 || !ok2 || !ok3 || !hexDigits(sid, 32) || root.Len() != 4 {
		return bad
	}
	if len(x.proofs) == maxProofs {
		return faultf(kindMalformed, "an export of single sessions holds at most %d of them", maxProofs)
	}
	x.proofs = append(x.proofs, proof{string(sid), index, size, path})
	return nil
}

func parsePath(v jcs.Value) ([]merkle.Hash, bool) {
	path := []merkle.Hash{}
	for _, item := range v.All {
		b, _ := item.Bytes()
		h, err := hex.DecodeString(string(b))
		if err != nil || !hexDigits(b, 64) || len(path) == 64 {
			return nil, false
		}
		path = append(path, merkle.Hash(h))
	}
	return path, v.Kind() == jcs.Array
}
