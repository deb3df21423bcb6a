package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Fold applies events to the empty state.
func Fold(events []event.Event) State {
	var s State
	for _, e := range events {
		s = apply(s, e, true)
	}
	return s
}

// Apply is the state after e. Transient events change nothing.
func Apply(s State, e event.Event) State { return apply(s, e, false) }

// apply is Apply; own says that nobody was handed s, so that what it holds may
// change instead of being copied.
func apply(s State, e event.Event, own bool) State {
	if e.Transient() {
		return s
	}
	s.Seq, s.ID = e.Seq, e.Session
	switch b := e.Body.(type) {
	case event.Opened:
		s = applyOpened(s, b)
	case event.TurnStarted:
		s = applyTurn(s, b)
	case event.TurnEnded:
		s.TurnOpen = false
	case event.Reply:
		s = applyReply(s, b)
	case event.Interjected:
		s = s.with(Message{User: b.Text})
	case event.Nudged:
		s = s.with(Message{Note: b.Text})
	case event.Instructed:
		s = applyNotes(s, b)
	case event.CallStarted:
		s.Open = append(without(s.Open, b.Call), OpenCall{CallStarted: b})
	case event.CallDecided:
		s.Open = decided(s.Open, b)
	case event.CallResult:
		s = applyResult(s, b, own)
	case event.QuestionOpened:
		s.Question = &b.Question
	case event.QuestionClosed:
		s.Question = nil
	case event.TodoChanged:
		s.Todo = b.Items
	case event.JobChanged:
		s.Jobs = changedJob(s.Jobs, b)
	case event.Tainted:
		s = applyTaint(s, b)
	case event.Masked:
		s.Messages = masked(s.Messages, b.Calls)
	case event.Compacted:
		s = applyCompacted(s, b)
	case event.Uncompacted:
		s = applyUncompacted(s, b)
	default:
		s = applySetting(s, e.Body)
	}
	return s
}

// applySetting is the state after something that the conversation does not
// show was set.
func applySetting(s State, body event.Body) State {
	switch b := body.(type) {
	case event.LevelChanged:
		s.Level = b.To
	case event.ModelChanged:
		s.Provider, s.Model = b.Provider, b.Model
	case event.ThoughtChanged:
		s.Thought = b.Level
	case event.Renamed:
		s.Title = b.Title
	case event.Archived:
		s.Archived = b.Archived
	case event.Spent:
		s.Usage = s.Usage.Plus(b.Usage)
	case event.WindowChanged, event.PolicyChanged, event.Egress, event.Refused, event.Notice, event.Recovered, event.Closed:
		// For the reader of the log; the state has nothing to remember.
	}
	return s
}

// with is the state with one more message, of its last event.
func (s State) with(m Message) State {
	m.Seq, m.Turn = s.Seq, s.Turn
	s.Messages = append(s.Messages, m)
	return s
}

func applyOpened(s State, b event.Opened) State {
	s.Root, s.Front, s.Level, s.Sandbox = b.Root, b.Front, b.Level, b.Sandbox
	s.Provider, s.Model = b.Provider, b.Model
	s.Question = nil // a question dies with its process
	if b.Parent != "" {
		s.Parent, s.Fork, s.Archived = b.Parent, b.Fork, false
	}
	if s.Facts == "" {
		s.Facts = b.Facts
	}
	return s
}

func applyTurn(s State, b event.TurnStarted) State {
	s.Turn, s.TurnOpen, s.Unchecked = b.Turn, true, nil
	if s.Title == "" {
		s.Title = firstLine(b.Text)
	}
	return s.with(Message{User: b.Text, Notes: b.Notes, Images: b.Images})
}

func applyReply(s State, b event.Reply) State {
	s.Usage = s.Usage.Plus(b.Usage)
	if b.Text != "" {
		s.Last = b.Text
	}
	return s.with(Message{Reply: &b})
}

func applyTaint(s State, b event.Tainted) State {
	if !slices.Contains(s.Taint, b.Source) {
		s.Taint = append(slices.Clip(s.Taint), b.Source)
	}
	if !slices.Contains(s.From, b) {
		s.From = append(slices.Clip(s.From), b)
	}
	return s
}

// without are the open calls but for one.
func without(open []OpenCall, call string) []OpenCall {
	return slices.DeleteFunc(slices.Clone(open), func(c OpenCall) bool { return c.Call == call })
}

// decided are the open calls, of which one has its decision now.
func decided(open []OpenCall, b event.CallDecided) []OpenCall {
	open = slices.Clone(open)
	for i := range open {
		if open[i].Call == b.Call {
			open[i].Decided = b
		}
	}
	return open
}

func applyResult(s State, r event.CallResult, own bool) State {
	s.Open = without(s.Open, r.Call)
	switch asked := called(s.Messages, r.Call); {
	case !asked && r.Tool == listTool: // the person looked at a list of a server's; the model has not asked
	case asked || r.Tool != undoTool:
		s = s.with(Message{Call: &r, Loose: !asked})
	case len(r.Undone) > 0: // the person did it, and the model has to know
		s = s.with(Message{User: undoneNote(r)})
	}
	if len(r.Files) > 0 {
		if !own {
			s.Seen = maps.Clone(s.Seen)
		}
		if s.Seen == nil {
			s.Seen = map[string]string{}
		}
		for _, f := range r.Files {
			s.Seen[f.Path] = f.SHA256
		}
	}
	if len(r.Changes) > 0 {
		s.Changed = append(s.Changed, r.Changes...)
		s.Check.Stale = true
		s.Unchecked = slices.Clip(s.Unchecked)
		for _, c := range r.Changes {
			if !slices.Contains(s.Unchecked, c.Path) {
				s.Unchecked = append(s.Unchecked, c.Path)
			}
		}
	}
	if r.Tests || r.Check {
		s.Unchecked = nil
	}
	if r.Check {
		s.Check = Check{Ran: true, Passed: r.Status == "ok" && r.Exit != nil && *r.Exit == 0}
	}
	return s
}

// listTool lists what a server has, for the person alone.
const listTool = "mcp_list"

// undoTool is the tool whose calls the person makes too.
const undoTool = "undo"

// maxNoted is how many paths a note to the model names.
const maxNoted = 30

// undoneNote tells the model that the person took back what it did. Names of
// files are quoted: they are not the person's words.
func undoneNote(r event.CallResult) string {
	var b strings.Builder
	b.WriteString("[note from the program] The person undid changes of yours. What you read of these paths before is out of date; do not do it again without being asked:")
	for i, c := range r.Changes {
		if i == maxNoted {
			fmt.Fprintf(&b, " and %d more", len(r.Changes)-maxNoted)
			break
		}
		fmt.Fprintf(&b, " %s %q", c.Change, c.Path)
	}
	return b.String()
}

// called says that the model's last reply holds the call.
func called(m []Message, call string) bool {
	for i := len(m) - 1; i >= 0; i-- {
		if r := m[i].Reply; r != nil {
			return slices.ContainsFunc(r.Calls, func(c event.Call) bool { return c.ID == call })
		}
	}
	return false
}

// applyNotes takes what the project's files say. Before the first message it
// stands in front of it; later it is a message, and what was sent stays as it is.
func applyNotes(s State, b event.Instructed) State {
	s.Notes, s.NotesHash = b.Text, ""
	for _, f := range b.Files {
		s.NotesHash += f.Path + " " + f.SHA256 + "\n"
	}
	if len(s.Messages) == 0 {
		s.NotesFirst = b.Text
		return s
	}
	text := b.Text
	if text == "" {
		text = "[the notes of this project are gone: what they said does not hold any more]\n"
	}
	return s.with(Message{Note: text})
}

// masked takes the bodies of results away. They lie in the log, and under
// their own names.
func masked(m []Message, calls []string) []Message {
	out := slices.Clone(m)
	for i, x := range out {
		if x.Call == nil || x.Masked > 0 || !slices.Contains(calls, x.Call.Call) {
			continue
		}
		r := *x.Call
		out[i].Masked, r.Body = len(r.Body), ""
		out[i].Call = &r
	}
	return out
}

// applyCompacted puts a summary into force. What the one before it had left
// out is let go: only the last compaction can be taken back.
func applyCompacted(s State, b event.Compacted) State {
	next := &Compaction{Seq: s.Seq, Compacted: b}
	if c := s.Compaction; c != nil {
		s.Messages = slices.Clone(after(s.Messages, c.After))
		next.Before = &Compaction{Seq: c.Seq, Compacted: c.Compacted}
	}
	s.Compaction, s.Held, s.NotesFirst = next, false, s.Notes
	s.Usage = s.Usage.Plus(b.Usage)
	return s
}

// applyUncompacted takes the compaction that is in force back.
func applyUncompacted(s State, b event.Uncompacted) State {
	if c := s.Compaction; c != nil && c.Seq == b.Of {
		s.Compaction, s.Held = c.Before, true
	}
	return s
}

// changedJob puts a job's new standing into the list.
func changedJob(jobs []event.JobChanged, now event.JobChanged) []event.JobChanged {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		if jobs[i].Job == now.Job {
			jobs[i] = now
			return jobs
		}
	}
	return append(jobs, now)
}

func firstLine(s string) string {
	const limit = 60
	for i, r := range s {
		if r == '\n' || r == '\r' {
			return s[:i]
		}
		if i >= limit {
			return s[:i] + "…"
		}
	}
	return s
}
