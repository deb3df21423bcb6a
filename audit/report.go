package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Exit codes of a verification.
const (
	ExitIntact     = 0
	ExitTampered   = 1
	ExitUnreadable = 2
)

// A Report is what a verification found. Its zero value is not ok.
type Report struct {
	OK       bool           `json:"ok"`
	Exit     int            `json:"exit"`
	Records  int64          `json:"records"`          // records that were read
	Sessions int64          `json:"sessions"`         // sessions that they open
	Head     *HeadReport    `json:"head,omitempty"`   // where they end
	Start    *StartReport   `json:"start,omitempty"`  // where the check begins, when not at the first record
	FirstBad *BadReport     `json:"first_bad"`        // null when nothing is wrong
	Warnings []Warning      `json:"warnings"`         // what is no proof of tampering
	More     int64          `json:"more,omitempty"`   // warnings beyond the first thousand
	Complete bool           `json:"complete"`         // every record from the first one on was there
	Anchors  []AnchorReport `json:"anchors"`          // one for each anchor given
	Unknown  []string       `json:"unknown_members"`  // signed members that this version does not know
	Legacy   *LegacyReport  `json:"legacy,omitempty"` // for exports of the Python original
	Error    string         `json:"error,omitempty"`  // why nothing could be read (exit 2)
}

// HeadReport is a [Head] in a report.
type HeadReport struct {
	Log  string `json:"log"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

// StartReport says what stands before the first record that the key vouches
// for.
type StartReport struct {
	Seq int64  `json:"seq"`
	Why string `json:"why"` // stub: earlier records were purged; rekey: the key is newer than they are
}

// BadReport is the first thing that is wrong.
type BadReport struct {
	Index  int64  `json:"index"` // record, from 0, in what was verified
	Seq    int64  `json:"seq"`
	Line   int64  `json:"line,omitempty"` // from 1
	File   string `json:"file,omitempty"` // of the live log
	Sid    string `json:"sid,omitempty"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// A Warning is something that is odd, and allowed.
type Warning struct {
	Kind  string `json:"kind"`
	Index int64  `json:"index"`
	Note  string `json:"note,omitempty"`
}

// AnchorReport is what became of one anchor.
type AnchorReport struct {
	Size   int64  `json:"size"`
	Result string `json:"result"` // seen, rollback, fork, unchecked, other-log
	From   string `json:"from,omitempty"`
}

// VerifyOptions say how to verify.
type VerifyOptions struct {
	Key     PublicKey // the root key to trust: never taken from what is verified
	Anchors []Anchor  // heads seen earlier
	Fast    bool      // only the signatures that vouch for all others
	Strict  bool      // a warning counts as tampering
}

// maxWarnings is how many warnings a report lists.
const maxWarnings = 1000

// A trial is a verification under way.
type trial struct {
	ctx     context.Context
	opts    VerifyOptions
	walk    *walk
	sigs    signatures
	stub    *stubReader
	anchors anchors
	slots   []checkpoint
	slotOK  bool
	rep     Report
	unknown map[string]bool
}

func newTrial(ctx context.Context, o VerifyOptions, partial bool) *trial {
	t := &trial{ctx: ctx, opts: o, walk: newWalk(o.Key), unknown: map[string]bool{}, anchors: newAnchors(o.Anchors)}
	t.walk.partial = partial
	t.walk.warn = func(kind string, r *record) { t.warn(Warning{Kind: kind, Index: t.walk.count - 1}) }
	t.rep.Warnings, t.rep.Unknown = []Warning{}, []string{}
	t.sigs = newEverySignatureOr(o.Fast)
	return t
}

func newEverySignatureOr(fast bool) signatures {
	if fast {
		return newLastSignatures()
	}
	return newEverySignature()
}

func (t *trial) warn(w Warning) {
	if len(t.rep.Warnings) < maxWarnings {
		t.rep.Warnings = append(t.rep.Warnings, w)
	} else {
		t.rep.More++
	}
}

// bad states what is wrong, unless something before it was.
func (t *trial) bad(at spot, f *fault) {
	if t.rep.FirstBad != nil && t.rep.FirstBad.Index <= at.index {
		return
	}
	b := &BadReport{Index: at.index, Seq: at.seq, Line: at.line, Kind: f.Kind, Reason: f.Reason}
	if at.file > 0 {
		b.File = segmentName(at.file)
	}
	if at.sid != [32]byte{} {
		b.Sid = string(at.sid[:])
	}
	t.rep.FirstBad = b
}

// passed is called after the walk took a record.
func (t *trial) passed(r *record) {
	for name := range r.unknown {
		if !t.unknown[name] && len(t.unknown) < 100 {
			t.unknown[name] = true
			t.rep.Unknown = append(t.rep.Unknown, name)
		}
	}
	t.reached()
}

// reached compares what is known of the log at this size.
func (t *trial) reached() {
	w := t.walk
	if f := t.anchors.at(w); f != nil {
		t.bad(spot{index: max(0, w.count-1), seq: w.size - 1}, f)
	}
	for _, c := range t.slots {
		if c.size != w.size || !w.begun && w.size > 0 || !c.signedBy(w.epoch) {
			continue
		}
		t.slotOK = true
		if c.head != w.head || c.root != w.tree.Root() || c.log != w.log {
			t.bad(spot{index: max(0, w.count-1), seq: w.size - 1}, faultf(kindFork, "the head file states another record %d", w.size-1))
		}
	}
}

// end is where a fault of the whole stands.
func (t *trial) end() spot { return spot{index: t.walk.count, seq: t.walk.size} }

// judge ends the trial once all records were read. more checks what only this
// kind of evidence has, when the records themselves are sound.
func (t *trial) judge(more func() (spot, *fault)) Report {
	w := t.walk
	if at, failed := t.sigs.finish(); failed {
		t.bad(at, faultf(kindSignature, "the signature does not verify under the key in force here"))
	}
	if t.rep.FirstBad == nil && !w.begun {
		t.bad(spot{}, t.stranger())
	}
	if t.rep.FirstBad == nil && t.stub != nil {
		if f := t.stub.confirmed(); f != nil {
			t.bad(spot{}, f)
		}
	}
	if t.rep.FirstBad == nil {
		if at, f := more(); f != nil {
			t.bad(at, f)
		}
	}
	if t.rep.FirstBad == nil {
		if f := t.anchors.rest(w); f != nil {
			t.bad(t.end(), f)
		}
	}
	return t.report()
}

func (t *trial) stranger() *fault {
	if t.walk.count == 0 && t.stub == nil {
		return faultf(kindMissing, "there are no records: even an unused log has its first one")
	}
	return faultf(kindGenesis, "these records are of another log: none is vouched for by the key %s", t.opts.Key.LogID())
}

func (t *trial) report() Report {
	w, rep := t.walk, &t.rep
	rep.Records, rep.Sessions, rep.Anchors = w.count, w.opened, t.anchors.report(t)
	if w.count > 0 || t.stub != nil {
		h := w.end()
		rep.Head = &HeadReport{h.Log, h.Size, h.Hash}
	}
	if t.stub != nil {
		rep.Start = &StartReport{t.stub.size, "stub"}
	} else if w.begun && w.trimmed {
		rep.Start = &StartReport{w.started, "rekey"}
	}
	if rep.FirstBad == nil {
		t.openEnds()
	}
	rep.Complete = rep.FirstBad == nil && !w.partial && t.stub == nil
	rep.OK = rep.FirstBad == nil && !t.anchors.unable()
	switch {
	case rep.FirstBad != nil:
		rep.Exit = ExitTampered
	case !rep.OK:
		rep.Exit, rep.Error = ExitUnreadable, "none of the anchors could be checked: the records that they name are not here"
	case t.opts.Strict && len(rep.Warnings) > 0:
		rep.OK, rep.Exit = false, ExitTampered
	default:
		rep.Exit = ExitIntact
	}
	return *rep
}

// openEnds warns of sessions and intents that were left open.
func (t *trial) openEnds() {
	w := t.walk
	for _, sid := range sortedKeys(w.sids) {
		if m := w.sids[sid]; !w.partial || m.n > 0 {
			t.warn(Warning{warnNoClose, m.last - w.first, "session " + sid})
		}
	}
	open := make([]int64, 0, len(w.intents))
	for _, in := range w.intents {
		open = append(open, in.seq)
	}
	for _, seq := range sortedInts(open) {
		t.warn(Warning{warnIntent, seq - w.first, fmt.Sprintf("record %d", seq)})
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedInts(list []int64) []int64 { slices.Sort(list); return list }
