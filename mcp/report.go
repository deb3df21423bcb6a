package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Standing is where a server stands before it is started.
type Standing struct {
	Entry Entry
	Tools int    // that are approved
	Why   string // nothing of it is called; "" when it can be
}

// Standings looks at all servers, disabled ones left out. Nothing is started.
func (s *Servers) Standings() []Standing {
	out := make([]Standing, len(s.o.Entries))
	for i, e := range s.o.Entries {
		out[i] = s.standing(e)
	}
	return out
}

func (s *Servers) standing(e Entry) Standing {
	out := Standing{Entry: e}
	pin, err := s.o.Pins.Get(Key(e, s.o.Workspace))
	if err != nil {
		out.Why = err.Error()
		return out
	}
	out.Tools = len(pin.Tools)
	_, id, err := s.resolve(e)
	switch {
	case pin.Tools == nil && err != nil:
		out.Why = "not approved; " + err.Error()
	case pin.Tools == nil:
		out.Why = "not approved"
	case err != nil:
		out.Why = err.Error()
	case pin.Identity.Hash() != id.Hash():
		out.Why = "changed since it was approved (" + strings.Join(pin.Identity.Differs(id), ", ") + ")"
	}
	return out
}

// A Report is what a server offers now, against what was approved.
type Report struct {
	Entry    Entry
	Identity Identity
	State    State // of the server as a whole
	Hash     string
	Tools    []ToolReport
	Problems []string
	Pin      Pin // to be stored when the person approves all of it
}

// ToolReport is one tool of a Report.
type ToolReport struct {
	Definition
	State   State
	Changes []Change
	Why     string // it is refused
}

// Unchanged says that all is as it was approved, and nothing more is there.
func (r Report) Unchanged() bool { return r.State == Approved }

// Unchanged says that the tool is as it was approved.
func (t ToolReport) Unchanged() bool { return t.State == Approved }

// Probe starts a server of its own, lists what it offers, and ends it.
func (s *Servers) Probe(ctx context.Context, name string) (r Report, err error) {
	e, ok := s.entry(name)
	if !ok {
		return r, fmt.Errorf("%w %s, or it is disabled: `tera-pilot mcp list` shows them", ErrNoServer, name)
	}
	r.Entry = e
	x, id, err := s.resolve(e)
	if err != nil {
		return r, fmt.Errorf("MCP server %s: %w", name, err)
	}
	r.Identity = id
	if r.Pin, err = s.o.Pins.Get(Key(e, s.o.Workspace)); err != nil {
		return r, err
	}
	old := r.Pin
	server := NewServer(s.options(e, x, id))
	defer func() { err = errors.Join(err, server.Close()) }()
	tools, refused, listErr := server.Tools(ctx)
	if listErr != nil {
		r.State, r.Problems = Refused, []string{listErr.Error()}
		return r, nil
	}
	r.judge(old, tools, refused)
	if n := server.Noise(); n > 0 {
		r.Problems = append(r.Problems, fmt.Sprintf("%d lines of its output were no messages", n))
	}
	return r, nil
}

// judge fills the report in.
func (r *Report) judge(old Pin, tools []Definition, refused map[string]string) {
	r.State, r.Pin = Approved, Pin{Identity: r.Identity, Tools: map[string]string{}}
	for _, d := range tools {
		t := ToolReport{Definition: d}
		t.State, t.Changes = old.Judge(r.Identity, d)
		if t.State != Approved && r.State != Changed {
			r.State = t.State
		}
		r.Tools, r.Pin.Tools[d.Name] = append(r.Tools, t), d.JSON
	}
	for _, d := range old.Definitions() {
		if _, still := r.Pin.Tools[d.Name]; !still {
			r.State = Changed
			r.Problems = append(r.Problems, "the tool "+d.Name+" is not offered any more")
		}
	}
	if old.Tools == nil {
		r.State = New
	}
	for name, why := range refused {
		r.Tools = append(r.Tools, ToolReport{Definition: Definition{Name: name}, State: Refused, Why: why})
	}
	slices.SortFunc(r.Tools, func(a, b ToolReport) int { return compare(a.Name, b.Name) })
	r.Hash = r.Pin.Hash()
}
