package audit

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// take goes past r, which next has accepted and which stands at the place at.
func (w *walk) take(r *record, at place) {
	w.head, w.size, w.count, w.behindStub = r.hash, r.seq+1, w.count+1, false
	var leaf merkle.Hash
	if leaf = merkle.Leaf(r.line); !w.partial {
		w.tree.Add(leaf, w.seen)
	}
	if bytes.Compare(r.ts, w.ts[:]) < 0 {
		w.warn(warnClock, r)
	}
	if w.month == "" || r.typ == typeSegment {
		w.month = string(r.ts[:7])
	}
	copy(w.ts[:], r.ts)
	if !w.begun {
		w.takeUnknown(r)
		return
	}
	m := w.sids[string(r.sid)]
	if m != nil {
		m.n, m.head, m.mono, m.last, m.leaf = r.n, r.hash, r.mono, r.seq, leaf
	}
	switch r.typ {
	case typeOpen:
		w.takeOpen(r, leaf)
	case typeRekey:
		w.epoch, _ = keyMember(r.doc.Root(), "root")
		w.latest = w.epoch
		w.log = r.text("rootlog")
		if !slices.Contains(w.logs, w.log) {
			w.logs = append(w.logs, w.log)
		}
	case typeIntent:
		w.intents[r.hash] = &openIntent{hash: r.hash, aid: r.text("aid"), sid: m.sid, session: m.session, seq: r.seq, at: at}
	case typeOutcome:
		w.takeOutcome(r)
	case typeEvent:
		w.takeEvent(r)
	case typeRecover:
		w.takeRecover(r)
	case typeSegment:
		w.segment, _ = r.doc.Root().Get("segment").Int()
	case typeClose:
		delete(w.sids, m.sid)
		if w.partial {
			w.done[m.sid] = m.given
		}
	}
}

// takeUnknown goes past a record that stands before those of the root key.
func (w *walk) takeUnknown(r *record) {
	switch r.typ {
	case typeSegment:
		w.segment, _ = r.doc.Root().Get("segment").Int()
	case typeEvent:
		w.takeEvent(r)
		if w.purge != nil {
			w.purge.key = PublicKey{}
		}
	}
}

func (w *walk) takeOpen(r *record, leaf merkle.Hash) {
	root := r.doc.Root()
	m := &member{given: given{sid: string(r.sid), head: r.hash, last: r.seq, leaf: leaf}, opened: r.seq, mono: r.mono}
	m.key, _ = keyMember(root, "spk")
	m.session = r.text("session")
	m.parent, _ = root.Get("parent").Get("sid").Text()
	m.proc.pid, _ = root.Get("pid").Int()
	m.proc.start, _ = root.Get("pstart").Int()
	m.proc.boot = r.text("boot")
	w.sids[m.sid] = m
	w.epoch, _ = keyMember(root, "next")
	w.opened++
}

func (w *walk) takeOutcome(r *record) {
	var of [32]byte
	hashMember(r.doc.Root(), "of", &of)
	in := w.intents[of]
	if in == nil && (w.trimmed || w.partial) {
		return
	}
	if in == nil || in.aid != r.text("aid") {
		w.warn(warnOutcome, r)
		return
	}
	delete(w.intents, of)
}

func (w *walk) takeEvent(r *record) {
	root := r.doc.Root()
	data := root.Get("data")
	switch kind, _ := root.Get("kind").Text(); kind {
	case kindPurged:
		size, _ := data.Get("size").Int()
		sum, _ := data.Get("stub").Text()
		w.purge = &purgeNote{size, sum, w.epoch}
	case kindExported:
		note := &exportNote{hash: r.hash}
		for _, v := range data.Get("given").All {
			g := given{}
			g.sid, _ = v.Get("sid").Text()
			g.n, _ = v.Get("n").Int()
			if hashMember(v, "head", &g.head) {
				note.given = append(note.given, g)
			}
		}
		w.exported = note
	}
}

func (w *walk) takeRecover(r *record) {
	root := r.doc.Root()
	for _, v := range root.Get("torn").All {
		sum, _ := v.Get("sha256").Text()
		w.named[sum] = true
	}
	for _, v := range root.Get("intents").All {
		var of [32]byte
		if hashMember(v, "of", &of) && w.intents[of] != nil {
			w.intents[of].listed = true
		}
	}
}

// The events that the verifier itself reads.
const (
	kindPurged   = "purged"
	kindExported = "exported"
)

// The warnings: what is no proof of tampering.
const (
	warnClock     = "clock"            // ts goes backwards
	warnOutcome   = "outcome"          // an outcome of no open intent
	warnNoClose   = "no-close"         // a session without its close
	warnIntent    = "open-intent"      // an intent without its outcome
	warnTorn      = "torn-tail"        // the live log ends in a torn record
	warnShort     = "short-anchor"     // an anchor of few digits
	warnUnchecked = "unchecked-anchor" // an anchor of a record that is not here
)

// end is the head of the log here.
func (w *walk) end() Head {
	return Head{Log: w.log, Size: w.size, Hash: hex.EncodeToString(w.head[:])}
}
