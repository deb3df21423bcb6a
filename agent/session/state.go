package session

import (
	"maps"
	"slices"

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
	Taint    []string // sources of untrusted text in the context, in order of arrival
	Usage    event.Usage
	Changed  []event.Change
	Check    Check
	Question *event.Question
	Last     string // the last answer's text
	Archived bool

	Parent string // the session that this one was forked from; "" for none
	Fork   uint64 // the last event of Parent that it shares
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

// Message is one entry of the conversation as the model reads it.
type Message struct {
	Turn  int
	User  string       // what the person said; a message has exactly one of the three
	Reply *event.Reply // what the model answered
	Call  *event.CallResult
}

// Fold applies events to the empty state.
func Fold(events []event.Event) State {
	var s State
	for _, e := range events {
		s = Apply(s, e)
	}
	return s
}

// Apply is the state after e. Transient events change nothing.
func Apply(s State, e event.Event) State {
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
		s.Messages = append(s.Messages, Message{Turn: b.Turn, User: b.Text})
		if s.Title == "" {
			s.Title = firstLine(b.Text)
		}
	case event.TurnEnded:
		s.TurnOpen = false
	case event.Reply:
		s.Messages = append(s.Messages, Message{Turn: s.Turn, Reply: &b})
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
		s = applyResult(s, b)
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
	case event.Tainted:
		if !slices.Contains(s.Taint, b.Source) {
			s.Taint = append(slices.Clip(s.Taint), b.Source)
		}
	case event.Renamed:
		s.Title = b.Title
	case event.Archived:
		s.Archived = b.Archived
	case event.Notice, event.Recovered, event.Closed:
		// For the reader of the log; the state has nothing to remember.
	}
	return s
}

func applyResult(s State, r event.CallResult) State {
	s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(c OpenCall) bool { return c.Call == r.Call })
	s.Messages = append(s.Messages, Message{Turn: s.Turn, Call: &r})
	if len(r.Files) > 0 {
		s.Seen = maps.Clone(s.Seen)
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
	}
	if r.Check {
		s.Check = Check{Ran: true, Passed: r.Status == "ok" && r.Exit != nil && *r.Exit == 0}
	}
	return s
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
