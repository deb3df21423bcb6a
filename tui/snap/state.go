package snap

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// State is a session as the screens show it. Apply writes it. The few other
// writers know what no event tells: Expect and Look, before there is a session,
// and who looks at Session.Branch, closes Undo.Plan or sends a turn on its way.
type State struct {
	Seq uint64 // of the last stored event
	Rev uint64 // grows with every change of the State

	Session Session
	Terms   Terms
	Model   Model
	Spent   Spent
	Net     Net
	Undo    Undo
	Talk    Talk

	Busy     bool // a turn is open
	Working  event.Working
	Queued   []string
	Question *event.Question // the open one
	Todo     []event.TodoItem
	Changed  []string             // files that were changed, in order of the first change
	Jobs     []Job                // that run in the background
	Offered  []event.SlashCommand // what the person has ready under names
	Notices  []event.Notice
	Head     event.AuditHead
}

// Session is which one it is, and where it works.
type Session struct {
	ID     string
	Front  string
	Root   string
	Branch string // that is checked out, "" when unknown
	Title  string
	Opened bool // its first event was told
	Closed bool
}

// Name is the last element of the root folder.
func (s *Session) Name() string { return s.Root[strings.LastIndexByte(s.Root, '/')+1:] }

// Undo is what can be taken back, as the session said last.
type Undo struct {
	Points []event.UndoPoint // newest first
	Plan   *event.UndoPlan   // what the undo that was asked about would do
}

// Job is a command that runs in the background.
type Job struct{ ID, Call, Title string }

// Apply is what an event comes to.
func (s *State) Apply(e event.Event) {
	if e.Seq != 0 {
		if e.Seq <= s.Seq {
			return // told twice
		}
		s.Seq = e.Seq
	}
	if e.Session != "" {
		s.Session.ID = e.Session
	}
	s.Talk.now = e.Seq
	s.Rev++
	if !s.applyTalk(e) && !s.applyCall(e) && !s.applyTerms(e) && !s.applyWorld(e) {
		s.applyNews(e)
	}
}

// applyNews applies what takes the place of what was known before.
func (s *State) applyNews(e event.Event) {
	switch b := e.Body.(type) {
	case event.TodoChanged:
		s.Todo = b.Items
	case event.Notice:
		s.notice(b, e)
	case event.Renamed:
		s.Session.Title = b.Title
	case event.AuditHead:
		s.Head = b
	case event.Working:
		s.Working = b
	case event.Queued:
		s.Queued = b.Texts
	case event.Offered:
		s.Offered = b.Commands
	case event.UndoPoints:
		s.Undo.Points = b.Points
	case event.UndoPlan:
		s.Undo.Plan = &b
	case event.Closed:
		s.Session.Closed = true
	}
}

// maxNotices is how many banners are kept; the oldest goes first.
const maxNotices = 16

// notice keeps a banner. One of many lines is an answer that the person asked
// for, and stands in the transcript.
func (s *State) notice(b event.Notice, e event.Event) {
	if b.Key != "" {
		s.Notices = slices.DeleteFunc(s.Notices, func(n event.Notice) bool { return n.Key == b.Key })
	}
	if b.Text == "" {
		return
	}
	if head, body, many := strings.Cut(b.Text, "\n"); many {
		s.Talk.aside(&Item{Kind: Change, Told: &Told{Word: b.Key, Text: head, Body: body, Full: true, At: e.Time}})
		return
	}
	s.Notices = append(s.Notices, b)
	if n := len(s.Notices); n > maxNotices {
		s.Notices = slices.Delete(s.Notices, 0, n-maxNotices)
	}
}
