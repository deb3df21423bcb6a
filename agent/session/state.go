package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// State is what a session has come to: the fold of its events. A state that
// was handed out never changes. Like append, Apply is to be used in a line,
// state = Apply(state, event): the long lists share their memory, so that a
// fold of n events costs n steps.
type State struct {
	ID       string
	Seq      uint64 // of the last event
	Root     string
	Facts    string // of the environment, as the model was told at the start
	Front    string
	Title    string
	Level    string
	Sandbox  string
	Provider string
	Model    string

	Turn     int
	TurnOpen bool
	Messages []Message
	Open     []OpenCall // calls without a result, in order
	Seen     map[string]string
	Todo     []event.TodoItem
	Taint    []string        // sources of untrusted text in the context, in order of arrival
	From     []event.Tainted // what came of them, in order of arrival
	Usage    event.Usage
	Changed  []event.Change
	Jobs     []event.JobChanged // commands in the background, in order of their start, as they stand
	Check    Check
	Question *event.Question
	Last     string // the last answer's text
	Archived bool

	Parent string // the session that this one was forked from; "" for none
	Fork   uint64 // the last event of Parent that it shares

	Thought    string      // off, low, medium or high; "" is the provider's own
	Notes      string      // of the project, for the model, as they are now
	NotesFirst string      // as they stand in the first message
	NotesHash  string      // of the files of Notes, joined
	Compaction *Compaction // in force; nil: none
	Held       bool        // a compaction was taken back: none is made unasked
	Unchecked  []string    // files that this turn changed since the tests last ran
}

// Compaction is a summary in the place of older messages.
type Compaction struct {
	Seq uint64 // of its event
	event.Compacted
	Before *Compaction // the one that it replaced; its own Before is nil
}

// Check is what is known of the project's tests in this session.
type Check struct {
	Ran    bool
	Passed bool
	Stale  bool // files were changed since
}

// OpenCall is a call that has not been closed by a result.
type OpenCall struct {
	event.CallStarted
	Decided event.CallDecided
}

// Message is one entry of the conversation as the model reads it. It has
// exactly one of User, Note, Reply and Call.
type Message struct {
	Seq    uint64 // of its event
	Turn   int
	User   string       // what the person said
	Note   string       // what the program said
	Reply  *event.Reply // what the model answered
	Call   *event.CallResult
	Loose  bool             // Call answers no call of the model: the person mentioned a file
	Notes  []event.Note     // beside what the person said
	Images []event.ImageRef // the pictures that came with it
	Masked int              // bytes of Call's body that are not sent any more; Body is then empty
}

// Sent are the messages that are sent to the model, those behind the summary.
func (s State) Sent() []Message {
	if s.Compaction == nil {
		return s.Messages
	}
	return after(s.Messages, s.Compaction.After)
}

// after are the messages of events behind seq.
func after(m []Message, seq uint64) []Message {
	i, _ := slices.BinarySearchFunc(m, seq+1, func(m Message, seq uint64) int { return cmp.Compare(m.Seq, seq) })
	return m[i:]
}

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
		s.Root, s.Front, s.Level, s.Sandbox = b.Root, b.Front, b.Level, b.Sandbox
		s.Provider, s.Model = b.Provider, b.Model
		s.Question = nil // a question dies with its process
		if b.Parent != "" {
			s.Parent, s.Fork, s.Archived = b.Parent, b.Fork, false
		}
		if s.Facts == "" {
			s.Facts = b.Facts
		}
	case event.TurnStarted:
		s.Turn, s.TurnOpen = b.Turn, true
		s.Messages = append(s.Messages, Message{Seq: e.Seq, Turn: b.Turn, User: b.Text, Notes: b.Notes, Images: b.Images})
		s.Unchecked = nil
		if s.Title == "" {
			s.Title = firstLine(b.Text)
		}
	case event.TurnEnded:
		s.TurnOpen = false
	case event.Reply:
		s.Messages = append(s.Messages, Message{Seq: e.Seq, Turn: s.Turn, Reply: &b})
		s.Usage = addUsage(s.Usage, b.Usage)
		if b.Text != "" {
			s.Last = b.Text
		}
	case event.CallStarted:
		s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(c OpenCall) bool { return c.Call == b.Call })
		s.Open = append(s.Open, OpenCall{CallStarted: b})
	case event.CallDecided:
		s.Open = slices.Clone(s.Open)
		for i := range s.Open {
			if s.Open[i].Call == b.Call {
				s.Open[i].Decided = b
			}
		}
	case event.CallResult:
		s = applyResult(s, b, own)
	case event.QuestionOpened:
		s.Question = &b.Question
	case event.QuestionClosed:
		s.Question = nil
	case event.LevelChanged:
		s.Level = b.To
	case event.ModelChanged:
		s.Provider, s.Model = b.Provider, b.Model
	case event.TodoChanged:
		s.Todo = b.Items
	case event.JobChanged:
		s.Jobs = changedJob(s.Jobs, b)
	case event.Tainted:
		if !slices.Contains(s.Taint, b.Source) {
			s.Taint = append(slices.Clip(s.Taint), b.Source)
		}
		if !slices.Contains(s.From, b) {
			s.From = append(slices.Clip(s.From), b)
		}
	case event.Renamed:
		s.Title = b.Title
	case event.Archived:
		s.Archived = b.Archived
	case event.Interjected:
		s.Messages = append(s.Messages, Message{Seq: e.Seq, Turn: s.Turn, User: b.Text})
	case event.Nudged:
		s.Messages = append(s.Messages, Message{Seq: e.Seq, Turn: s.Turn, Note: b.Text})
	case event.Instructed:
		s = applyNotes(s, e.Seq, b)
	case event.ThoughtChanged:
		s.Thought = b.Level
	case event.Masked:
		s.Messages = masked(s.Messages, b.Calls)
	case event.Compacted:
		s = applyCompacted(s, e.Seq, b)
	case event.Uncompacted:
		if c := s.Compaction; c != nil && c.Seq == b.Of {
			s.Compaction, s.Held = c.Before, true
		}
	case event.Notice, event.Recovered, event.Closed:
		// For the reader of the log; the state has nothing to remember.
	}
	return s
}

func applyResult(s State, r event.CallResult, own bool) State {
	s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(c OpenCall) bool { return c.Call == r.Call })
	switch asked := called(s.Messages, r.Call); {
	case asked || r.Tool != undoTool:
		s.Messages = append(s.Messages, Message{Seq: s.Seq, Turn: s.Turn, Call: &r, Loose: !asked})
	case len(r.Undone) > 0: // the person did it, and the model has to know
		s.Messages = append(s.Messages, Message{Seq: s.Seq, Turn: s.Turn, User: undoneNote(r)})
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
	if r.Tests {
		s.Unchecked = nil
	}
	if r.Check {
		s.Unchecked = nil
		s.Check = Check{Ran: true, Passed: r.Status == "ok" && r.Exit != nil && *r.Exit == 0}
	}
	return s
}

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
func applyNotes(s State, seq uint64, b event.Instructed) State {
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
	s.Messages = append(s.Messages, Message{Seq: seq, Turn: s.Turn, Note: text})
	return s
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
func applyCompacted(s State, seq uint64, b event.Compacted) State {
	next := &Compaction{Seq: seq, Compacted: b}
	if c := s.Compaction; c != nil {
		s.Messages = slices.Clone(after(s.Messages, c.After))
		next.Before = &Compaction{Seq: c.Seq, Compacted: c.Compacted}
	}
	s.Compaction, s.Held, s.NotesFirst = next, false, s.Notes
	s.Usage = addUsage(s.Usage, b.Usage)
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

// Verification is what a headless run reports of the tests: verified,
// unverified, failed or not_run, from real exit codes alone.
func (s State) Verification() string {
	switch {
	case !s.Check.Ran && len(s.Changed) == 0:
		return "not_run"
	case !s.Check.Ran:
		return "unverified"
	case !s.Check.Passed:
		return "failed"
	case s.Check.Stale:
		return "unverified"
	default:
		return "verified"
	}
}

func addUsage(a, b event.Usage) event.Usage {
	a.Input += b.Input
	a.Output += b.Output
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
	if b.Cost != nil {
		sum := *b.Cost
		if a.Cost != nil {
			sum += *a.Cost
		}
		a.Cost = &sum
	}
	return a
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
