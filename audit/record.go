package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// Limits of the format (docs/audit-format.md, "Profile").
const (
	maxRecord = 256 << 10 // bytes of a record in canonical form
	maxDepth  = 8         // objects and arrays inside each other
)

// A recordType is the type of a record. The zero value is no type.
type recordType uint8

const (
	typeInvalid recordType = iota
	typeOpen
	typeIntent
	typeOutcome
	typeEvent
	typeRecover
	typeSegment
	typeRekey
	typeClose
)

// name is the word that stands in the record.
func (t recordType) name() string {
	switch t {
	case typeOpen:
		return "open"
	case typeIntent:
		return "intent"
	case typeOutcome:
		return "outcome"
	case typeEvent:
		return "event"
	case typeRecover:
		return "recover"
	case typeSegment:
		return "segment"
	case typeRekey:
		return "rekey"
	case typeClose:
		return "close"
	default:
		return ""
	}
}

func parseType(b []byte) recordType {
	for t := typeOpen; t <= typeClose; t++ {
		if string(b) == t.name() {
			return t
		}
	}
	return typeInvalid
}

// has reports whether version 1 of the format has this member in records of
// this type.
func (t recordType) has(name string) bool {
	switch name {
	case "log", "mono", "n", "prev", "seq", "sid", "sig", "sprev", "ts", "type", "v":
		return true
	}
	switch t {
	case typeOpen:
		switch name {
		case "binary", "boot", "front", "head", "host", "level", "next", "noconfirm", "parent", "pid", "policy",
			"pstart", "redaction", "sandbox", "session", "settings", "spk", "tool", "user", "version", "workspace":
			return true
		}
	case typeIntent:
		switch name {
		case "agent", "aid", "args", "asked", "by", "cat", "cmd", "cut", "decision", "effect", "inputs", "level",
			"net", "origin", "paths", "policy", "pre", "reason", "rule", "sandbox", "taint", "title", "tool", "want":
			return true
		}
	case typeOutcome:
		switch name {
		case "aid", "code", "cut", "diff", "ms", "of", "out", "outsize", "post", "reason", "recovered", "signal", "status":
			return true
		}
	case typeEvent:
		return name == "cat" || name == "data" || name == "kind" || name == "title"
	case typeRecover:
		return name == "intents" || name == "torn"
	case typeSegment:
		return name == "segment"
	case typeRekey:
		return name == "root" || name == "rootlog" || name == "rsig" || name == "sessions"
	case typeClose:
		return name == "records" || name == "status"
	}
	return false
}

// inSession reports whether records of this type are part of the chain of their
// sid, signed by its key. An open begins that chain.
func (t recordType) inSession() bool { return t != typeOpen && t != typeRekey }

// A record is one parsed record. Its parse can be repeated with another text.
type record struct {
	doc  jcs.Doc
	line []byte // canonical form, with the signature
	body []byte // canonical form without the signature: what is signed
	typ  recordType

	log, sid, ts          []byte
	seq, n, mono          int64
	prev, sprev, hash     [32]byte
	sig                   [64]byte
	scratch, scratchSplit []byte
}

// A fault says what is wrong with a record, in the words of the report.
type fault struct{ Kind, Reason string }

func (f *fault) Error() string { return f.Kind + ": " + f.Reason }

func faultf(kind, format string, args ...any) *fault {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// The kinds of a fault (docs/audit-format.md, "Report").
const (
	kindFormat       = "format"
	kindMalformed    = "malformed"
	kindMissing      = "missing"
	kindSequence     = "sequence"
	kindChain        = "chain"
	kindSession      = "session"
	kindSessionChain = "session-chain"
	kindSplice       = "splice"
	kindGenesis      = "genesis"
	kindSignature    = "signature"
	kindCheckpoint   = "checkpoint"
	kindTruncated    = "truncated"
	kindRollback     = "rollback"
	kindFork         = "fork"
	kindLegacy       = "legacy"
)

// parse reads text as a record. Unless it is exact, text need not be in
// canonical form. The record keeps text.
func (r *record) parse(text []byte, exact bool) *fault {
	r.log, r.sid, r.ts, r.typ = nil, nil, nil, typeInvalid
	if exact && len(text) > maxRecord {
		return faultf(kindMalformed, "the record is longer than %d bytes", maxRecord)
	}
	if err := r.doc.Parse(text, jcs.Rules{Depth: maxDepth}); err != nil {
		return faultf(kindMalformed, "not a record: %v", err)
	}
	root := r.doc.Root()
	switch {
	case root.Kind() != jcs.Object:
		return faultf(kindMalformed, "not a record: no object")
	case r.doc.Canonical():
		r.line = text
	case exact:
		return faultf(kindMalformed, "the line is not in canonical form")
	default:
		r.scratch = root.AppendCanonical(r.scratch[:0])
		r.line = r.scratch
	}
	if len(r.line) > maxRecord {
		return faultf(kindMalformed, "the record is longer than %d bytes", maxRecord)
	}
	r.scratchSplit = r.doc.Cut(r.scratchSplit[:0], "sig")
	r.body = r.scratchSplit
	r.hash = sha256.Sum256(r.line)
	return r.members(root)
}

// members reads what every record has, and what the chain needs of its type.
func (r *record) members(root jcs.Value) *fault {
	name, _ := root.Get("type").Bytes()
	if r.typ = parseType(name); r.typ == typeInvalid {
		return faultf(kindMalformed, "no record has the type %.40q", name)
	}
	if v, ok := root.Get("v").Int(); !ok || v != 1 {
		return faultf(kindMalformed, "only version 1 of the format is known")
	}
	var ok bool
	if r.seq, ok = root.Get("seq").Int(); !ok || r.seq < 0 {
		return faultf(kindSequence, "no seq")
	}
	sig, _ := root.Get("sig").Bytes()
	if r.sig, ok = parseSignature(sig); !ok {
		return faultf(kindMalformed, "sig is not the one spelling of a signature")
	}
	if !r.hexMember(root, "log", 32, &r.log) || !r.hexMember(root, "sid", 32, &r.sid) {
		return faultf(kindMalformed, "log or sid is not 32 hex digits")
	}
	if !hashMember(root, "prev", &r.prev) {
		return faultf(kindMalformed, "prev is not a hash")
	}
	if r.ts, _ = root.Get("ts").Bytes(); !timestamp(r.ts) {
		return faultf(kindMalformed, "ts is not a time such as 2026-01-31T23:59:59.000Z")
	}
	if r.mono, ok = root.Get("mono").Int(); r.typ != typeRekey && (!ok || r.mono < 0) {
		return faultf(kindMalformed, "mono is not a count of milliseconds")
	}
	if r.typ.inSession() {
		if r.n, ok = root.Get("n").Int(); !ok || r.n < 1 || !hashMember(root, "sprev", &r.sprev) {
			return faultf(kindSessionChain, "n or sprev is missing")
		}
	}
	return r.ownMembers(root)
}

// ownMembers checks the shape of the members that the verifier relies on.
func (r *record) ownMembers(root jcs.Value) *fault {
	var b []byte
	var h [32]byte
	ok := true
	switch r.typ {
	case typeOpen:
		_, ok1 := keyMember(root, "spk")
		_, ok2 := keyMember(root, "next")
		ok = ok1 && ok2
	case typeRekey:
		_, ok1 := keyMember(root, "root")
		sig, _ := root.Get("rsig").Bytes()
		_, ok2 := parseSignature(sig)
		ok = ok1 && ok2 && r.hexMember(root, "rootlog", 32, &b)
	case typeIntent:
		ok = r.hexMember(root, "aid", 32, &b)
	case typeOutcome:
		ok = r.hexMember(root, "aid", 32, &b) && hashMember(root, "of", &h)
	case typeEvent:
		ok = root.Get("kind").Kind() == jcs.String
	case typeSegment:
		var n int64
		n, ok = root.Get("segment").Int()
		ok = ok && n > 1
	case typeClose:
		_, ok = root.Get("records").Int()
	case typeRecover:
	default:
		ok = false
	}
	if !ok {
		return faultf(kindMalformed, "a member of the %s record is missing or misshapen", r.typ.name())
	}
	return nil
}

func (r *record) hexMember(root jcs.Value, name string, digits int, out *[]byte) bool {
	b, _ := root.Get(name).Bytes()
	*out = b
	return hexDigits(b, digits)
}

func hashMember(root jcs.Value, name string, out *[32]byte) bool {
	b, _ := root.Get(name).Bytes()
	if !hexDigits(b, 64) {
		return false
	}
	_, err := hex.Decode(out[:], b)
	return err == nil
}

func keyMember(root jcs.Value, name string) (PublicKey, bool) {
	b, _ := root.Get(name).Bytes()
	return parseHexKey(b)
}

// text is a member that is a string, else nothing.
func (r *record) text(name string) string {
	s, _ := r.doc.Root().Get(name).Text()
	return s
}

// unknown yields the names of members that this version of the format does not
// have. They are allowed, since they are signed.
func (r *record) unknown(yield func(string) bool) {
	for name := range r.doc.Root().All {
		if !r.typ.has(name) && !yield(name) {
			return
		}
	}
}

// timestamp reports whether b is UTC in milliseconds, in its fixed width.
func timestamp(b []byte) bool {
	const form = "0000-00-00T00:00:00.000Z"
	if len(b) != len(form) {
		return false
	}
	for i, c := range b {
		if form[i] == '0' && (c < '0' || c > '9') || form[i] != '0' && c != form[i] {
			return false
		}
	}
	return true
}

const timeForm = "2006-01-02T15:04:05.000Z"
