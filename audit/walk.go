package audit

import (
	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// A walk follows a log record by record and knows, at each place, which record
// may come next and whose signature it must bear. The verifier and the writer
// use the same walk, so that nothing is written that would not verify.
//
// It does not check the signatures of records itself: next says which key has
// to. Its memory grows with the sessions and intents that are open, not with
// the records.
type walk struct {
	root    PublicKey // the key that the caller trusts
	begun   bool      // the records that this key vouches for have been reached
	partial bool      // records of other sessions may be left out
	thread
	actors
	filed
	beginning

	purge    *purgeNote
	exported *exportNote
	warn     func(kind string, r *record)
	seen     func(level uint, index int64, h merkle.Hash) // each node of the tree; nil: nobody asks
}

// thread is what each record is bound to.
type thread struct {
	log    string    // id of the log, after the last rekey
	logs   []string  // all its ids
	latest PublicKey // the root key of the last rekey, else root
	epoch  PublicKey // signs the next open and the checkpoints here
	size   int64     // records so far: the seq of the next one
	count  int64     // records that this walk took
	head   [32]byte  // hash of the last record
	tree   merkle.Tree
}

// actors are whose records may come, and what is still owed.
type actors struct {
	sids    map[string]*member // open sessions
	done    map[string]given   // closed ones, kept when partial
	intents map[[32]byte]*openIntent
	named   map[string]bool // torn pieces that a recover has stated, by hash
	opened  int64           // sessions begun
}

// filed is where the records stand.
type filed struct {
	segment int64               // number of the last segment that was begun, 0 when unknown
	month   string              // year and month of the first record in the segment
	ts      [len(timeForm)]byte // of the last record
}

// beginning is what is known of a log of which not all is here.
type beginning struct {
	trimmed    bool  // the beginning of the log is not here
	behindStub bool  // the next record is the first behind a stub
	first      int64 // seq of the first record here
	started    int64 // seq of the rekey that the root key came with
}

// A member is an open session.
type member struct {
	given
	key     PublicKey
	session string
	parent  string
	proc    process
	opened  int64 // seq of its open
	mono    int64
}

// given is how far the chain of a sid goes.
type given struct {
	sid  string
	n    int64
	head [32]byte
	last int64       // seq of its last record
	leaf merkle.Hash // of its last record, when the walk is partial
}

// openIntent is an intent without an outcome.
type openIntent struct {
	hash    [32]byte
	aid     string
	sid     string
	session string
	seq     int64
	at      place
	listed  bool // a recover has named it
}

// A place is where a record stands in the files.
type place struct{ segment, offset int64 }

// purgeNote is what a purged event states about the stub that replaces the
// beginning of the log, and the key that must have signed that stub: zero when
// the event stands before the records of the root key.
type purgeNote struct {
	size int64
	sum  string
	key  PublicKey
}

// exportNote is what an exported event states about the sids in an export.
type exportNote struct {
	hash  [32]byte // of the event's record
	given []given
}

func newWalk(root PublicKey) *walk {
	return &walk{
		root:   root,
		thread: thread{log: root.LogID(), logs: []string{root.LogID()}, latest: root, epoch: root},
		actors: actors{sids: map[string]*member{}, done: map[string]given{}, intents: map[[32]byte]*openIntent{}, named: map[string]bool{}},
		filed:  filed{segment: 1},
		warn:   func(string, *record) {},
	}
}

// next checks everything about r but its signature, and says whose that must
// be. A nil key means that nobody here can tell: r stands before the records
// that the root key vouches for, and is bound to them by their hashes.
func (w *walk) next(r *record) (*PublicKey, *fault) {
	if f := w.place(r); f != nil {
		return nil, f
	}
	if !w.begun {
		return w.begin(r)
	}
	if string(r.log) != w.log {
		return nil, faultf(kindSplice, "the record belongs to the log %s and not to %s", r.log, w.log)
	}
	switch r.typ {
	case typeOpen:
		if w.sids[string(r.sid)] != nil {
			return nil, faultf(kindSession, "the session was opened before")
		}
		return &w.epoch, nil
	case typeRekey:
		return &w.epoch, w.rekeyed(r)
	default:
		return w.inSession(r)
	}
}

// place checks that r stands where it says.
func (w *walk) place(r *record) *fault {
	switch {
	case r.seq < w.size:
		return faultf(kindSequence, "seq is %d where %d comes next", r.seq, w.size)
	case r.seq > w.size && !w.partial:
		return faultf(kindMissing, "records %d to %d are missing", w.size, r.seq-1)
	case r.seq == w.size && r.prev != w.head:
		return faultf(kindChain, "prev is not the hash of record %d", w.size-1)
	case r.seq == w.size && w.behindStub && r.typ != typeSegment:
		return faultf(kindSequence, "what was purged were whole segments, and none begins here")
	}
	return nil
}

// begin looks for the record from which on the root key vouches: the first one
// of its log, or the rekey that named it.
func (w *walk) begin(r *record) (*PublicKey, *fault) {
	if r.seq == 0 && string(r.log) == w.log {
		if r.typ != typeOpen {
			return nil, faultf(kindGenesis, "the first record is no open")
		}
		w.begun = true
		return &w.epoch, nil
	}
	if r.typ != typeRekey || r.text("rootlog") != w.log {
		return nil, nil
	}
	w.begun, w.trimmed, w.started = true, true, r.seq
	return nil, w.rekeyed(r)
}

// rekeyed checks the signature of a new root key, and takes the key.
func (w *walk) rekeyed(r *record) *fault {
	root := r.doc.Root()
	key, _ := keyMember(root, "root")
	text, _ := root.Get("rsig").Bytes()
	sig, _ := parseSignature(text)
	if key.LogID() != r.text("rootlog") {
		return faultf(kindMalformed, "rootlog is not the id of root")
	}
	if !key.verify(contextRekey, root.AppendCanonical(nil, "sig", "rsig"), &sig) {
		return faultf(kindSignature, "rsig does not verify under the new root key")
	}
	for _, v := range root.Get("sessions").All {
		m, ok := parseMember(v)
		if !ok {
			return faultf(kindMalformed, "sessions of the rekey are misshapen")
		}
		if have := w.sids[m.sid]; have != nil {
			left := w.partial && have.n == 0 // its records were left out
			if have.key != m.key || !left && (have.n != m.n || have.head != m.head) {
				return faultf(kindSessionChain, "the rekey states another end of session %s", m.sid)
			}
		} else if !w.trimmed {
			return faultf(kindSession, "the rekey names session %s, which is not open", m.sid)
		} else {
			w.sids[m.sid] = m
		}
	}
	return nil
}

// parseMember reads {sid, spk, n, head}.
func parseMember(v jcs.Value) (*member, bool) {
	sid, _ := v.Get("sid").Bytes()
	n, ok := v.Get("n").Int()
	m := &member{given: given{sid: string(sid), n: n}}
	if !ok || n < 0 || !hexDigits(sid, 32) || !hashMember(v, "head", &m.head) {
		return nil, false
	}
	m.key, ok = keyMember(v, "spk")
	return m, ok
}

// inSession checks the chain of the session that r belongs to.
func (w *walk) inSession(r *record) (*PublicKey, *fault) {
	m := w.sids[string(r.sid)]
	switch {
	case m == nil:
		return nil, faultf(kindSession, "the record belongs to no open session")
	case r.n != m.n+1:
		return nil, faultf(kindSessionChain, "n is %d where %d comes next in the session", r.n, m.n+1)
	case r.sprev != m.head:
		return nil, faultf(kindSessionChain, "sprev is not the hash of the record before it in the session")
	case r.mono < m.mono:
		return nil, faultf(kindSequence, "mono goes backwards inside the session")
	}
	switch r.typ {
	case typeClose:
		if n, _ := r.doc.Root().Get("records").Int(); n != r.n+1 {
			return nil, faultf(kindSessionChain, "the close counts %d records where the session has %d", n, r.n+1)
		}
	case typeSegment:
		n, _ := r.doc.Root().Get("segment").Int()
		if w.segment != 0 && n != w.segment+1 && !w.partial {
			return nil, faultf(kindSequence, "segment %d where %d comes next", n, w.segment+1)
		}
	}
	return &m.key, nil
}
