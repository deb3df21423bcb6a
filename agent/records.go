package agent

import (
	"encoding/json"
	"io/fs"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// intent is what the audit log states of a proposal and its verdict.
func (d *Dispatcher) intent(p proposal, v verdict) audit.Intent {
	in := audit.Intent{
		AID: p.aid, Category: audit.Category(p.tool.Spec().Category), Tool: p.set.Tool, Title: p.set.Title,
		Paths: touched(p.set), Command: commandOf(p.set), Args: p.call.Args,
		Effect: p.set.Canonical(), Digest: p.digest, Origin: audit.Origin(p.call.Origin),
		Decision: v.decision, By: v.by, Reason: v.reason, Policy: p.input.Rules.Digest(), Inputs: p.input.Canonical(),
		Asked: v.asked, Taint: sources(p.input.Taint), Level: p.input.Level.String(),
		Sandbox: confinement(p.set), Net: hosts(p.set),
	}
	if r := p.decision.Rule; r.ID != "" {
		in.Rule = &audit.Rule{ID: r.ID, File: r.File, Line: r.Line}
	}
	in.Pre, in.Want = states(p.set)
	return in
}

// outcome is what the audit log states of a result.
func outcome(out tool.Result, took time.Duration) audit.Outcome {
	o := audit.Outcome{
		Status: recordedStatus(out.Status), Code: out.Exit, Signal: out.Signal, Took: took,
		Out: []byte(out.Body), OutSize: int64(len(out.Body)), Diff: out.Diff,
	}
	if len(out.Found) > 0 {
		o.Reason = foundText(out.Found)
	}
	for _, p := range out.Post {
		o.Post = append(o.Post, fileRef(p))
	}
	return o
}

// recordedStatus is the audit log's word for a tool's status.
func recordedStatus(s tool.Status) audit.Status {
	switch s {
	case tool.OK:
		return audit.OK
	case tool.Error:
		return audit.Failed
	case tool.Rejected:
		return audit.Rejected
	case tool.Blocked:
		return audit.StatusBlocked
	case tool.Cancelled:
		return audit.Cancelled
	case tool.Timeout:
		return audit.TimedOut
	case tool.NotRun:
		return audit.NotRun
	default:
		return audit.Unknown
	}
}

// touched are the paths of a set, as people name them.
func touched(s effect.Set) []string {
	var out []string
	for _, e := range s.Effects {
		for _, p := range []*effect.Path{e.Path, e.To} {
			if p != nil {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

// commandOf is the first command of a set.
func commandOf(s effect.Set) string {
	for _, e := range s.Effects {
		switch {
		case e.Exec != nil && e.Exec.Script != "":
			return e.Exec.Script
		case e.Exec != nil:
			return quoted(e.Exec.Argv)
		case e.Git != nil:
			return "git " + quoted(e.Git.Args)
		}
	}
	return ""
}

func confinement(s effect.Set) audit.Profile {
	for _, e := range s.Effects {
		if e.Exec != nil {
			return audit.Profile{Profile: e.Exec.Profile, Grade: e.Exec.Grade}
		}
	}
	return audit.Profile{}
}

func hosts(s effect.Set) []string {
	var out []string
	for _, e := range s.Effects {
		if e.Net != nil {
			out = append(out, e.Net.Host)
		}
		if e.Exec != nil {
			out = append(out, e.Exec.Hosts...)
		}
	}
	return out
}

// states are the files of a set as they are and as they are meant to become in
// the end: one entry for each place, also where two effects are about it.
func states(s effect.Set) (pre, want []audit.FileRef) {
	for _, e := range s.Effects {
		if !e.Kind.ChangesFiles() {
			continue
		}
		if e.Path != nil && !named(want, e.Path.Name) {
			pre = append(pre, fileRef(*e.Path))
		}
		switch {
		case e.To != nil:
			pre = append(pre, fileRef(*e.To))
			moved := fileRef(*e.Path)
			moved.Path = e.To.Name
			want = meant(meant(want, audit.FileRef{Path: e.Path.Name}), moved)
		case e.After != nil:
			want = meant(want, audit.FileRef{Path: e.Path.Name, SHA256: e.After.SHA256, Size: e.After.Size, Mode: fs.FileMode(e.Mode), Secret: e.Path.Secret})
		case e.Kind == effect.Delete:
			want = meant(want, audit.FileRef{Path: e.Path.Name})
		}
	}
	return pre, want
}

func named(refs []audit.FileRef, name string) bool {
	return slices.ContainsFunc(refs, func(r audit.FileRef) bool { return r.Path == name })
}

// meant adds what a place is to become; the last effect about it counts.
func meant(want []audit.FileRef, r audit.FileRef) []audit.FileRef {
	want = slices.DeleteFunc(want, func(w audit.FileRef) bool { return w.Path == r.Path })
	return append(want, r)
}

func fileRef(p effect.Path) audit.FileRef {
	ref := audit.FileRef{Path: p.Name, Secret: p.Secret}
	if p.Exists {
		ref.SHA256, ref.Size, ref.Mode = p.SHA256, p.Size, fs.FileMode(p.Mode)
	}
	return ref
}

// linesBytes is the question as it was asked, for the log's commitment.
func linesBytes(lines []event.Line) []byte {
	b, err := json.Marshal(lines)
	if err != nil {
		panic("agent: lines of text do not encode: " + err.Error())
	}
	return b
}
