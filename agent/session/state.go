package session

import (
	"cmp"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// State is what a session has come to: the fold of its events. A state that
// was handed out never changes. Like append, Apply is to be used in a line,
// state = Apply(state, event): the long lists share their memory, so that a
// fold of n events costs n steps.
type State struct {
	ID  string
	Seq uint64 // of the last event
	Setting
	Card
	Talk
	Work
	Untrusted
	Question *event.Question // that is open
}

// Setting is where a session runs, and with what.
type Setting struct {
	Root     string
	Facts    string // of the environment, as the model was told at the start
	Front    string
	Level    string
	Sandbox  string
	Provider string
	Model    string
	Thought  string // off, low, medium or high; "" is the provider's own
}

// Card is what a session is known by among others.
type Card struct {
	Title    string
	Archived bool
	Parent   string // the session that this one was forked from; "" for none
	Fork     uint64 // the last event of Parent that it shares
}

// Talk is the conversation, and what of it the model is sent.
type Talk struct {
	Turn       int
	TurnOpen   bool
	Messages   []Message
	Last       string      // the last answer's text
	Notes      string      // of the project, for the model, as they are now
	NotesFirst string      // as they stand in the first message
	NotesHash  string      // of the files of Notes, joined
	Compaction *Compaction // in force; nil: none
	Held       bool        // a compaction was taken back: none is made unasked
	Usage      event.Usage
}

// Work is what was called for, and what came of it.
type Work struct {
	Open      []OpenCall        // calls without a result, in order
	Seen      map[string]string // SHA-256 of each file as the model last read or wrote it, by its absolute path
	Todo      []event.TodoItem
	Jobs      []event.JobChanged // commands in the background, in order of their start, as they stand
	Changed   []event.Change
	Unchecked []string // files that this turn changed since the tests last ran
	Check     Check
}

// Untrusted is what the context has taken in that nobody here vouches for. It
// never falls.
type Untrusted struct {
	Taint []string        // sources, in order of arrival
	From  []event.Tainted // what came of them, in order of arrival
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
