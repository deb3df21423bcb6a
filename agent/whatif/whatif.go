package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// A Change is a decision that would be another one.
type Change struct {
	Entry    audit.Entry
	Was, Now gate.Answer
	Reason   string // of the new answer
}

// A Report is what a replay came to.
type Report struct {
	Decisions     int // in the log, since the time that was asked for
	Replayed      int // with the answer that stands in the log
	NotReplayable int
	Differs       []int64 // records whose replay gave another answer than they state
	Changes       []Change
}

// Replay walks the log. With a nil rule it only checks that every decision can
// be replayed. since leaves out what is older, by its RFC 3339 time; "" takes
// all.
func Replay(ctx context.Context, r *audit.Reader, book rulebook.Book, rule *commandpolicy.File, since string) (Report, error) {
	var out Report
	known := map[string]*gate.Rules{}
	rules := func(digest string) (gate.Rules, bool) {
		if known[digest] == nil {
			known[digest] = &gate.Rules{}
			if r, ok := book.Archived(digest); ok {
				known[digest] = &r
			}
		}
		return *known[digest], known[digest].Digest() == digest
	}
	for e, err := range r.Entries(ctx, audit.Filter{}) {
		if err != nil {
			return out, err
		}
		if e.Type != "intent" || e.Decision == "" || e.Time < since {
			continue
		}
		out.Decisions++
		in, err := input(ctx, r, e, rules)
		if errors.Is(err, gate.ErrNotReplayable) {
			out.NotReplayable++
			continue
		}
		if err != nil {
			return out, fmt.Errorf("record %d: %w", e.Seq, err)
		}
		was := gate.Decide(in)
		if !fits(was, e) {
			out.Differs = append(out.Differs, e.Seq)
			continue
		}
		out.Replayed++
		if rule == nil {
			continue
		}
		if now := gate.Decide(in.With(rule)); now.Answer != was.Answer {
			out.Changes = append(out.Changes, Change{Entry: e, Was: was.Answer, Now: now.Answer, Reason: now.Reason})
		}
	}
	return out, nil
}

// input is what a decision was made from.
func input(ctx context.Context, r *audit.Reader, e audit.Entry, rules func(string) (gate.Rules, bool)) (gate.Input, error) {
	_, values, err := r.Record(ctx, e.Seq)
	if err != nil {
		return gate.Input{}, err
	}
	for _, v := range values {
		if v.Name != "inputs" {
			continue
		}
		raw := v.Value
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw = []byte(text)
		}
		in, err := gate.ParseInput(raw, rules)
		if err != nil {
			return gate.Input{}, fmt.Errorf("%w: %w", gate.ErrNotReplayable, err)
		}
		return in, nil
	}
	return gate.Input{}, gate.ErrNotReplayable
}

// fits says that a record states the answer that the replay gives. A person's
// word stands for an ask, and so does what was raised by hand.
func fits(d gate.Decision, e audit.Entry) bool {
	switch e.Decision {
	case audit.Allowed:
		return d.Answer == gate.Allow
	case audit.Approved:
		return d.Answer != gate.Deny
	case audit.Denied:
		return d.Answer != gate.Allow || e.By != audit.ByHeadless
	case audit.Blocked:
		return d.Answer == gate.Deny
	}
	return false
}
