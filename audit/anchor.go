package audit

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/audit/internal/note"
)

// An Anchor is a head that was seen earlier and kept elsewhere. It shows what
// no signature can: that an older, genuine copy was put in the place of the
// log, or that the log was forked.
type Anchor struct {
	Log  string // id of the log; empty when it is not known
	Size int64
	Hash string    // hash of record Size-1, or the first of its digits; empty when only Root is known
	Root *[32]byte // tree hash at this size
	From string    // where it was found, for the report
}

// shortAnchor is the number of digits below which an anchor gets a warning:
// whoever has the keys could search for another record that begins like it.
const shortAnchor = 16

// ParseAnchor reads SIZE:HASH, where HASH may be cut to its first 8 digits.
func ParseAnchor(s string) (Anchor, error) {
	size, hash, ok := strings.Cut(s, ":")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || err != nil || n < 1 || strconv.FormatInt(n, 10) != size || len(hash) < 8 || len(hash) > 64 || !hexDigits([]byte(hash), len(hash)) {
		return Anchor{}, fmt.Errorf("%.100q is no anchor: a number of records, a colon, and 8 to 64 lower-case hex digits", s)
	}
	return Anchor{Size: n, Hash: hash, From: s}, nil
}

// FindAnchors reads the anchors in a file: a checkpoint in C2SP's form, or any
// text with lines SIZE:HASH and with Tera-Audit trailers, such as git log gives.
func FindAnchors(name string, b []byte) ([]Anchor, error) {
	if c, err := note.Open(b); err == nil {
		log, ok := strings.CutPrefix(c.Origin, origin(""))
		if !ok || c.Size < 1 {
			return nil, fmt.Errorf("%s is a checkpoint of %q, and of no audit log", name, c.Origin)
		}
		return []Anchor{{Log: log, Size: c.Size, Root: &c.Root, From: name}}, nil
	}
	trailer := regexp.MustCompile(`^\s*Tera-Audit: ([0-9a-f]{32})#([0-9]{1,15}) ([0-9a-f]{8,64})\s*$`)
	var out []Anchor
	for line := range bytes.Lines(b) {
		text := strings.TrimSpace(string(line))
		if m := trailer.FindStringSubmatch(text); m != nil {
			if a, err := ParseAnchor(m[2] + ":" + m[3]); err == nil {
				a.Log, a.From = m[1], name
				out = append(out, a)
			}
		} else if a, err := ParseAnchor(text); err == nil {
			a.From = name
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, errors.New(name + " holds no anchor: neither a checkpoint, nor a line SIZE:HASH, nor a Tera-Audit trailer")
	}
	return out, nil
}

// anchors are compared while a log is read, the smallest first.
type anchors struct {
	list   []Anchor
	result []string
	next   int
}

// What became of an anchor.
const (
	anchorSeen      = "seen"
	anchorRollback  = "rollback"
	anchorFork      = "fork"
	anchorUnchecked = "unchecked"
	anchorOther     = "other-log"
)

func newAnchors(list []Anchor) anchors {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Anchor) int { return cmp.Compare(a.Size, b.Size) })
	a := anchors{list: list, result: make([]string, len(list))}
	for i := range a.result {
		a.result[i] = anchorUnchecked
	}
	return a
}

// at compares the anchors of the size that w has reached.
func (a *anchors) at(w *walk) *fault {
	for a.next < len(a.list) && a.list[a.next].Size < w.size {
		a.next++
	}
	var f *fault
	for i := a.next; i < len(a.list) && a.list[i].Size == w.size; i++ {
		x := a.list[i]
		if x.Root != nil && w.partial || x.Log != "" && (x.Log != w.log || !w.begun) {
			continue
		}
		same := strings.HasPrefix(hex.EncodeToString(w.head[:]), x.Hash)
		if x.Root != nil {
			same = *x.Root == w.tree.Root()
		}
		a.result[i] = anchorSeen
		if !same {
			a.result[i] = anchorFork
			f = orFault(f, faultf(kindFork, "record %d is not the one that was anchored (%s)", w.size-1, x.From))
		}
	}
	return f
}

func orFault(f, other *fault) *fault {
	if f != nil {
		return f
	}
	return other
}

// rest judges, at the end, the anchors of other sizes and of other logs. An
// anchor of another log says nothing about this one.
func (a *anchors) rest(w *walk) *fault {
	var f *fault
	for i, x := range a.list {
		switch {
		case x.Log != "" && !slices.Contains(w.logs, x.Log):
			a.result[i] = anchorOther
		case x.Size > w.size:
			a.result[i] = anchorRollback
			f = orFault(f, faultf(kindRollback, "the log had %d records once (%s), and now has %d", x.Size, x.From, w.size))
		}
	}
	return f
}

// unable reports whether there were anchors, and none of them said anything.
func (a *anchors) unable() bool {
	return len(a.list) > 0 && !slices.ContainsFunc(a.result, func(r string) bool {
		return r != anchorUnchecked && r != anchorOther
	})
}

func (a *anchors) report(t *trial) []AnchorReport {
	out := []AnchorReport{}
	for i, x := range a.list {
		out = append(out, AnchorReport{x.Size, a.result[i], x.From})
		if a.result[i] == anchorUnchecked || a.result[i] == anchorOther {
			t.warn(Warning{warnUnchecked, x.Size - 1, x.From})
		}
		if x.Root == nil && len(x.Hash) < shortAnchor {
			t.warn(Warning{warnShort, x.Size - 1, x.From})
		}
	}
	return out
}
