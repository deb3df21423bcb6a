package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// The stub stands for a beginning of the log that was purged.
const (
	fileStub     = "audit/stub.jsonl"
	fileStubNext = "audit/stub.next"
)

// A stubReader walks a stub line by line: its first line, then the open and
// rekey records that lead from the root key to the epoch in force.
type stubReader struct {
	w        *walk
	sum      hash.Hash // over the lines
	lines    int64
	finished bool

	size    int64
	segment int64 // number of the first file that was kept
	head    [32]byte
	log     string
	tree    merkle.Tree
	body    []byte
	sig     [64]byte
	opens   struct {
		count, seen int64
		want        string
		sum         hash.Hash
	}
	sessions map[string]*member
	met      map[string]bool // sessions whose keys a record vouches for
	last     int64           // seq of the last record
	rec      record
}

// startStub prepares w to begin at a stub.
func startStub(w *walk) *stubReader {
	return &stubReader{w: w, sum: sha256.New(), last: -1, sessions: map[string]*member{}, met: map[string]bool{}}
}

// line takes the next line. Unless it is exact, the text need not be in
// canonical form.
func (s *stubReader) line(text []byte, exact bool) *fault {
	s.lines++
	if s.lines == 1 {
		return s.first(text, exact)
	}
	if f := s.rec.parse(text, exact); f != nil {
		return f
	}
	for _, h := range []hash.Hash{s.sum, s.opens.sum} {
		h.Write(s.rec.line)
		h.Write([]byte{'\n'})
	}
	s.opens.seen++
	return s.record(&s.rec)
}

func (s *stubReader) first(text []byte, exact bool) *fault {
	bad := faultf(kindMalformed, "the first line of the stub is misshapen")
	var doc jcs.Doc
	if doc.Parse(text, jcs.Rules{Depth: maxDepth}) != nil || exact && !doc.Canonical() {
		return bad
	}
	root := doc.Root()
	var edges []merkle.Hash
	for _, v := range root.Get("tree").All {
		var h merkle.Hash
		b, _ := v.Bytes()
		if n, err := hex.Decode(h[:], b[:min(len(b), 64)]); err != nil || n != 32 || !hexDigits(b, 64) {
			return bad
		}
		edges = append(edges, h)
	}
	sig, _ := root.Get("sig").Bytes()
	log, _ := root.Get("log").Bytes()
	var tree [32]byte
	var ok [6]bool
	s.size, ok[0] = root.Get("size").Int()
	s.segment, ok[1] = root.Get("segment").Int()
	s.sig, ok[2] = parseSignature(sig)
	s.tree, ok[3] = merkle.FromEdges(s.size, edges)
	s.opens.count, ok[4] = root.Get("opens").Get("count").Int()
	s.opens.want, ok[5] = root.Get("opens").Get("sha256").Text()
	s.opens.sum, s.log = sha256.New(), string(log)
	if ok != [6]bool{true, true, true, true, true, true} || s.size < 1 || s.segment < 2 || !hexDigits(log, 32) ||
		!hashMember(root, "head", &s.head) || !hashMember(root, "root", &tree) || tree != s.tree.Root() {
		return bad
	}
	for _, v := range root.Get("sessions").All {
		m, ok := parseMember(v)
		if !ok {
			return bad
		}
		s.sessions[m.sid] = m
	}
	s.body = root.AppendCanonical(nil, "sig")
	s.sum.Write(root.AppendCanonical(nil))
	s.sum.Write([]byte{'\n'})
	return nil
}

// record follows one open or rekey. Between them others were purged, so that
// only their signatures and the order of their numbers tie them together.
func (s *stubReader) record(r *record) *fault {
	w := s.w
	if r.typ != typeOpen && r.typ != typeRekey {
		return faultf(kindMalformed, "the stub holds a record that is neither open nor rekey")
	}
	if r.seq <= s.last || r.seq >= s.size {
		return faultf(kindSequence, "the records of the stub are not in order")
	}
	s.last = r.seq
	if !w.begun {
		switch {
		case r.seq == 0 && string(r.log) == w.log && r.typ == typeOpen:
			w.begun = true
		case r.typ == typeRekey && r.text("rootlog") == w.log:
			w.begun, w.trimmed, w.started = true, true, r.seq
			if f := w.rekeyed(r); f != nil {
				return f
			}
			w.take(r, place{})
			return s.meet()
		default:
			return nil
		}
	}
	if string(r.log) != w.log {
		return faultf(kindSplice, "a record of the stub belongs to the log %s and not to %s", r.log, w.log)
	}
	if !w.epoch.verify(contextRecord, r.body, &r.sig) {
		return faultf(kindSignature, "a record of the stub is not signed by the key in force there")
	}
	if r.typ == typeRekey {
		w.trimmed = true // the sessions that it names are not followed here
		if f := w.rekeyed(r); f != nil {
			return f
		}
	}
	w.take(r, place{})
	return s.meet()
}

// meet compares the sessions that the last record opened or named with those
// that the stub hands over.
func (s *stubReader) meet() *fault {
	for sid, have := range s.w.sids {
		m := s.sessions[sid]
		if m == nil {
			continue
		}
		if m.key == (PublicKey{}) {
			m.key = have.key
		}
		if have.key != m.key {
			return faultf(kindSession, "the stub states another key for session %s", sid)
		}
		m.session, m.parent, m.proc, m.opened = have.session, have.parent, have.proc, have.opened
		s.met[sid] = true
	}
	clear(s.w.sids)
	return nil
}

// finish lets the walk go on behind the stub.
func (s *stubReader) finish() *fault {
	w := s.w
	s.finished = true
	switch {
	case s.lines == 0:
		return faultf(kindMalformed, "the stub is empty")
	case s.opens.seen != s.opens.count || hex.EncodeToString(s.opens.sum.Sum(nil)) != s.opens.want:
		return faultf(kindMissing, "the stub does not hold the %d open records that it names", s.opens.count)
	case w.begun && w.log != s.log:
		return faultf(kindSplice, "the stub belongs to the log %s and not to %s", s.log, w.log)
	}
	w.sids = map[string]*member{}
	if w.begun {
		for sid, m := range s.sessions {
			if !s.met[sid] {
				return faultf(kindSession, "the stub names session %s, which it does not open", sid)
			}
			w.sids[sid] = m
		}
	}
	w.size, w.head, w.tree, w.trimmed = s.size, s.head, s.tree.Clone(), true
	w.segment, w.month, w.count, w.first, w.behindStub = s.segment-1, "", 0, s.size, true
	w.ts = [len(timeForm)]byte{}
	return nil
}

// confirmed checks, at the end of the log, that the last purge named this stub
// and that the epoch key of that moment signed it.
func (s *stubReader) confirmed() *fault {
	p := s.w.purge
	switch {
	case p == nil || p.size != s.size || p.sum != s.digest():
		return faultf(kindMissing, "the stub is not the one that the last purge named")
	case p.key != PublicKey{} && !p.key.verify(contextStub, s.body, &s.sig):
		return faultf(kindSignature, "the stub is not signed by the key in force at the purge")
	}
	return nil
}

func (s *stubReader) digest() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// lines calls do with each line of a file, without its line feed.
func eachLine(b []byte, do func(line []byte) *fault) *fault {
	for len(b) > 0 {
		line, rest, ok := bytes.Cut(b, []byte{'\n'})
		if !ok {
			return faultf(kindMalformed, "the last line has no end")
		}
		if f := do(line); f != nil {
			return f
		}
		b = rest
	}
	return nil
}
