package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
)

// recover settles what a crash left open, in both logs (docs/contracts.md,
// section 6): an edit by comparing hashes, everything else is unknown. Nothing
// is run again.
func (s *Session) recover(ctx context.Context) error {
	open, err := s.audit.OpenIntents(ctx)
	if err != nil {
		return noEvidence(err)
	}
	settled := map[string]audit.Outcome{}
	var spawned string // the call of a sub-agent that was open
	var below []string // what of the sub-agent's was
	for _, in := range open {
		own := in.Session == s.o.Log.ID()
		if !own && !s.isBelow(in.Session) {
			continue // another session's own resume settles it
		}
		out := s.settle(ctx, in.Intent)
		if err := s.audit.Settle(in, out); err != nil && !errors.Is(err, audit.ErrSettled) {
			return noEvidence(err)
		}
		switch {
		case !own:
			below = append(below, fmt.Sprintf("%s: %s, %s", in.Intent.Title, out.Status, out.Reason))
		case in.Intent.Tool == "spawn_subagent":
			spawned = in.Intent.AID
		}
		settled[in.Intent.AID] = out
	}
	if out, ok := settled[spawned]; ok && len(below) > 0 {
		out.Reason += "; of the sub-agent's calls was open: " + strings.Join(below, "; ")
		settled[spawned] = out
	}
	return s.closeOpenCalls(ctx, settled)
}

// isBelow says that a session is that of a sub-agent of this one, which nobody
// resumes for its own sake.
func (s *Session) isBelow(id string) bool {
	past, err := s.o.Store.Read(id)
	if err != nil {
		return false
	}
	child := session.Fold(past)
	return child.Parent == s.o.Log.ID() && child.Fork == 0
}

// settle finds out how far an intent of a dead process came.
func (s *Session) settle(ctx context.Context, in audit.Intent) audit.Outcome {
	switch {
	case in.Decision == audit.Denied:
		return audit.Outcome{Status: audit.Rejected, Reason: in.Reason}
	case in.Decision == audit.Blocked:
		return audit.Outcome{Status: audit.StatusBlocked, Reason: in.Reason}
	case len(in.Want) == 0:
		return audit.Outcome{Status: audit.Unknown, Reason: "the program ended before the outcome was known"}
	}
	return s.compare(ctx, in)
}

// compare settles an intent by what its files hold now. A row of files that is
// half done is told file by file.
func (s *Session) compare(ctx context.Context, in audit.Intent) audit.Outcome {
	var done, undone, other []string
	post := []audit.FileRef{}
	for i, want := range in.Want {
		now := s.present(ctx, want.Path)
		post = append(post, now)
		pre := preOf(in.Pre, want.Path, i)
		switch {
		case want.Secret || now.Secret || undigested(now): // it cannot be compared
			other = append(other, want.Path)
		case now.SHA256 == want.SHA256:
			done = append(done, want.Path)
		case now.SHA256 == pre.SHA256 && !undigested(pre):
			undone = append(undone, want.Path)
		default:
			other = append(other, want.Path)
		}
	}
	switch len(in.Want) {
	case len(done):
		return audit.Outcome{Status: audit.OK, Post: post, Reason: "the files are as they were meant to become"}
	case len(undone):
		return audit.Outcome{Status: audit.NotRun, Post: post, Reason: "the files are as they were before"}
	case 1:
		return audit.Outcome{Status: audit.Unknown, Post: post, Reason: "the file is neither as before nor as it was meant to become"}
	}
	return audit.Outcome{Status: audit.Unknown, Post: post, Reason: "it is half done: " + halves(done, undone, other)}
}

// halves lists the files of a row that is half done.
func halves(done, undone, other []string) string {
	var out []string
	for _, part := range []struct {
		what  string
		names []string
	}{{"changed", done}, {"as before", undone}, {"neither", other}} {
		if len(part.names) > 0 {
			out = append(out, part.what+": "+world.Fold(part.names, ", "))
		}
	}
	return strings.Join(out, "; ")
}

// undigested says that f is there and has no digest: a folder or a link. One
// that is not there has none either.
func undigested(f audit.FileRef) bool { return f.SHA256 == "" && f.Mode != 0 }

func preOf(pre []audit.FileRef, path string, i int) audit.FileRef {
	for _, p := range pre {
		if p.Path == path {
			return p
		}
	}
	if i < len(pre) {
		return pre[i]
	}
	return audit.FileRef{}
}

// present is a file's state now.
func (s *Session) present(ctx context.Context, name string) audit.FileRef {
	p, err := s.o.World.View(s.disp.seen).File(ctx, name)
	if err != nil {
		return audit.FileRef{Path: name, SHA256: "unreadable"}
	}
	return fileRef(p)
}

// closeOpenCalls gives every call that was left open its result, and tells the
// person about those whose fate is not known.
func (s *Session) closeOpenCalls(ctx context.Context, settled map[string]audit.Outcome) error {
	state, err := s.owner.state()
	if err != nil {
		return err
	}
	if err := s.lookUp(ctx, state.Open, settled); err != nil {
		return err
	}
	var unknown []event.CallStarted
	for _, c := range state.Open {
		out, ok := settled[c.Intent]
		if !ok {
			// Without an intent on the disk nothing was run.
			out = audit.Outcome{Status: audit.NotRun, Reason: "the program ended before the call began"}
		}
		if out.Status == audit.Unknown {
			unknown = append(unknown, c.CallStarted)
		}
		if err := s.owner.emit(recoveredResult(c.CallStarted, c.Decided, out), event.Recovered{Call: c.Call, Tool: c.Tool, Title: c.Title, Status: string(out.Status)}); err != nil {
			return err
		}
	}
	for _, c := range unanswered(state) {
		if _, err := s.disp.cancelled(c); err != nil {
			return err
		}
	}
	if state.TurnOpen {
		ended := event.TurnEnded{Turn: state.Turn, Status: "error", Message: "the program ended in the middle of the turn", Code: codeError}
		if err := s.owner.emit(ended); err != nil {
			return err
		}
	}
	return s.tellUnknown(unknown)
}

// tellUnknown tells the person about calls whose fate nobody knows, and puts
// the first before him where he can answer.
func (s *Session) tellUnknown(calls []event.CallStarted) error {
	if len(calls) == 0 {
		return nil
	}
	titles := make([]string, len(calls))
	for i, c := range calls {
		titles[i] = c.Title
	}
	return s.owner.do(func(o *owned) {
		o.tell(event.Notice{
			Severity: "warn", Key: "recovered", Text: "the program ended in the middle of: " + strings.Join(titles, "; "),
			Hint: "nobody knows whether it happened, and it is not run again: look, then say what to do",
		})
		o.unknown = calls
		s.openUnknown(o)
	})
}

// lookUp finds the outcomes of open calls that the audit log has already: the
// program ended between the two logs.
func (s *Session) lookUp(ctx context.Context, open []session.OpenCall, settled map[string]audit.Outcome) error {
	wanted := map[string]bool{}
	for _, c := range open {
		if _, ok := settled[c.Intent]; !ok {
			wanted[c.Intent] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	r, err := audit.OpenReader(ctx, audit.Options{Dir: s.o.State})
	if err != nil {
		return noEvidence(err)
	}
	for e, err := range r.Entries(ctx, audit.Filter{Session: s.o.Log.ID()}) {
		if err != nil {
			return noEvidence(err)
		}
		if wanted[e.AID] {
			settled[e.AID] = audit.Outcome{Status: e.Status, Reason: "its outcome stands in the audit log, and its output is lost"}
		}
	}
	return nil
}

func recoveredResult(c event.CallStarted, d event.CallDecided, out audit.Outcome) event.CallResult {
	decision := d.Decision
	if decision == "" {
		decision = string(audit.Denied)
	}
	body := "The program ended in the middle of this call. What is known: " + out.Reason + "."
	if out.Status == audit.Unknown {
		body += " It was not repeated. Look at the present state before you decide whether it is needed."
	}
	if out.Status == audit.OK {
		body += " Read the files again before you go on."
	}
	r := event.CallResult{Call: c.Call, Tool: c.Tool, Title: c.Title, Status: string(out.Status), Decision: decision, Body: body, Recovered: true}
	if out.Status == audit.OK {
		for _, p := range out.Post {
			r.Changes = append(r.Changes, event.Change{Path: p.Path, Change: "written"})
		}
	}
	return r
}

// unanswered are the calls of the last reply that were never begun. Those that
// were are in State.Open.
func unanswered(state session.State) []event.Call {
	answered := map[string]bool{}
	for _, c := range state.Open {
		answered[c.Call] = true
	}
	for i := len(state.Messages) - 1; i >= 0; i-- {
		m := state.Messages[i]
		if m.Call != nil {
			answered[m.Call.Call] = true
		}
		if m.Reply == nil {
			continue
		}
		return slices.DeleteFunc(slices.Clone(m.Reply.Calls), func(c event.Call) bool { return answered[c.ID] })
	}
	return nil
}
