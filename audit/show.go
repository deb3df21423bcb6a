package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// An Entry is one thing that happened, as the log shows it: an intent with its
// outcome, or any other record. The log itself is not checked by showing it.
type Entry struct {
	Seq      int64    `json:"seq"`               // of the intent, or of the record
	Outcome  int64    `json:"outcome,omitempty"` // seq of the outcome, 0 when there is none
	Time     string   `json:"time"`              // UTC
	Sid      string   `json:"sid"`
	Session  string   `json:"session,omitempty"` // id of the session log, of an open
	AID      string   `json:"aid,omitempty"`     // id of the action, of an intent
	Type     string   `json:"type"`              // intent, outcome, event, open, close, recover, segment, rekey
	Category Category `json:"category,omitempty"`
	Kind     string   `json:"kind,omitempty"` // of an event
	Tool     string   `json:"tool,omitempty"`
	Title    string   `json:"title,omitempty"`
	Agent    string   `json:"agent,omitempty"`
	Decision Decision `json:"decision,omitempty"`
	By       By       `json:"by,omitempty"`
	Status   Status   `json:"status,omitempty"` // of the outcome; StatusOpen where there is none yet
	Reason   string   `json:"reason,omitempty"`
	Took     int64    `json:"ms,omitempty"` // milliseconds
	Code     *int64   `json:"code,omitempty"`
	Diff     string   `json:"diff,omitempty"`
}

// StatusOpen stands in an Entry for an intent without an outcome.
const StatusOpen Status = "open"

// A Filter chooses entries. The zero Filter takes all of them.
type Filter struct {
	Category Category
	Status   Status
	Text     string // in the record or its outcome, without regard to case
	Session  string // id of the session log: only what its processes wrote, or what settles it
	After    int64  // only records with this seq or a higher one; an outcome whose intent is older stands alone
}

// Entries gives what is in the log, in the order in which it ended: an intent
// stands where its outcome is, those without one at the end.
func (r *Reader) Entries(ctx context.Context, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		s := shower{f: f, open: map[string]*shown{}, sids: map[string]bool{}}
		stop := errors.New("enough")
		lim, err := r.since(ctx, f.After)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		err = r.linesLike(ctx, lim, s.like(), func(rec *record, _ place) error {
			if rec.seq < f.After {
				return nil
			}
			if e, ok := s.take(rec); ok && !yield(e, nil) {
				return stop
			}
			return nil
		})
		if err != nil {
			if !errors.Is(err, stop) {
				yield(Entry{}, err)
			}
			return
		}
		for _, e := range s.rest() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A shower joins intents and outcomes.
type shower struct {
	f    Filter
	open map[string]*shown // intents without an outcome, by hash
	sids map[string]bool   // of Filter.Session
}

// like spares the parsing of lines that cannot be of the session. What it lets
// through is looked at again.
func (s *shower) like() func([]byte) bool {
	if s.f.Session == "" {
		return nil
	}
	open, settled, member := []byte(`"type":"open"`), []byte(`"recovered":true`), []byte(`"sid":"`)
	return func(line []byte) bool {
		if i := bytes.Index(line, member); i >= 0 && len(line) >= i+len(member)+32 && s.sids[string(line[i+len(member):i+len(member)+32])] {
			return true
		}
		return bytes.Contains(line, open) || bytes.Contains(line, settled)
	}
}

// ours says that a record is of the session that was asked for.
func (s *shower) ours(r *record) bool {
	if s.f.Session == "" {
		return true
	}
	if r.typ == typeOpen && r.text("session") == s.f.Session {
		s.sids[string(r.sid)] = true
	}
	return s.sids[string(r.sid)] || r.typ == typeOutcome && s.open[r.text("of")] != nil
}

type shown struct {
	Entry
	text string // where Filter.Text is looked for
}

// take gives the entry that a record completes, if it is wanted.
func (s *shower) take(r *record) (Entry, bool) {
	if !s.ours(r) {
		return Entry{}, false
	}
	e := &shown{Entry: entryOf(r)}
	if s.f.Text != "" {
		e.text = strings.ToLower(string(r.line))
	}
	switch r.typ {
	case typeIntent:
		e.Status = StatusOpen
		s.open[hashText(r.hash)] = e
		return Entry{}, false
	case typeOutcome:
		in := s.open[r.text("of")]
		if in == nil {
			return e.Entry, s.wanted(e)
		}
		delete(s.open, r.text("of"))
		in.Outcome, in.Status, in.Took, in.Code, in.Diff = e.Seq, e.Status, e.Took, e.Code, e.Diff
		if e.Reason != "" {
			in.Reason = e.Reason
		}
		in.text += e.text
		return in.Entry, s.wanted(in)
	default:
		return e.Entry, s.wanted(e)
	}
}

func (s *shower) wanted(e *shown) bool {
	return (s.f.Category == "" || s.f.Category == e.Category) && (s.f.Status == "" || s.f.Status == e.Status) &&
		strings.Contains(e.text, strings.ToLower(s.f.Text))
}

// rest are the wanted intents that have no outcome.
func (s *shower) rest() []Entry {
	var out []Entry
	for _, e := range s.open {
		if s.wanted(e) {
			out = append(out, e.Entry)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

func entryOf(r *record) Entry {
	root := r.doc.Root()
	e := Entry{
		Seq: r.seq, Time: string(r.ts), Sid: string(r.sid), AID: r.text("aid"), Type: r.typ.name(), Category: Category(r.text("cat")), Kind: r.text("kind"),
		Session: r.text("session"), Tool: r.text("tool"), Title: r.text("title"), Agent: r.text("agent"), Decision: Decision(r.text("decision")), By: By(r.text("by")),
		Status: Status(r.text("status")), Reason: r.text("reason"), Diff: r.text("diff"),
	}
	e.Took, _ = root.Get("ms").Int()
	if code, ok := root.Get("code").Int(); ok {
		e.Code = &code
	}
	switch r.typ {
	case typeOpen:
		e.Title = "session " + r.text("session") + " (" + r.text("front") + ")"
	case typeRekey:
		e.Title = "new root key " + r.text("rootlog")
	case typeRecover:
		e.Title = fmt.Sprintf("after a crash: %d torn pieces, %d open intents", root.Get("torn").Len(), root.Get("intents").Len())
	case typeSegment:
		n, _ := root.Get("segment").Int()
		e.Title = fmt.Sprintf("file %06d begins", n)
	}
	return e
}

// A Disclosed is a value of a committed member.
type Disclosed struct {
	Name  string
	Value []byte // JSON
}

// Record gives one record in canonical form, and those of its committed values
// that have not been deleted.
func (r *Reader) Record(ctx context.Context, seq int64) (line []byte, values []Disclosed, err error) {
	found := errors.New("found")
	var at place
	lim, err := r.since(ctx, seq)
	if err != nil {
		return nil, nil, err
	}
	err = r.lines(ctx, lim, func(rec *record, where place) error {
		if rec.seq != seq {
			return nil
		}
		line, at = bytes.Clone(rec.line), where
		return found
	})
	if err == nil {
		return nil, nil, fmt.Errorf("the log has no record %d", seq)
	}
	if !errors.Is(err, found) {
		return nil, nil, err
	}
	err = eachDisclosure(r.layer, at.segment, func(d disclosed, _ int64, _ int) error {
		if d.seq == seq && bytes.Contains(line, []byte(`"`+d.digest()+`"`)) {
			if name, value, ok := openDisclosure(d.text); ok {
				values = append(values, Disclosed{name, value})
			}
		}
		return nil
	})
	return line, values, err
}

// Indent writes a canonical record for a person: one member a line.
func Indent(line []byte) string {
	var doc jcs.Doc
	if doc.Parse(line, jcs.Rules{Depth: maxDepth}) != nil || doc.Root().Kind() != jcs.Object {
		return string(line) + "\n"
	}
	var b strings.Builder
	for name, v := range doc.Root().All {
		fmt.Fprintf(&b, "%-10s %s\n", name, v.Raw())
	}
	return b.String()
}
