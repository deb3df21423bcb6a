package snap

import (
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// State is a session as the screens show it.
type State struct {
	ID       string
	Seq      uint64 // of the last stored event
	Opened   bool
	Resumed  bool
	Front    string
	Root     string
	Branch   string // that is checked out, "" when unknown
	Title    string
	Level    string
	Sandbox  string // setting and grade, "auto A"
	Network  string
	Provider string
	Model    string

	Turn     int
	Busy     bool  // a turn is open
	Used     int64 // tokens of the last request
	Window   int64 // 0 when unknown
	Cost     int64 // millionths of a dollar
	Unpriced bool  // some request had no price
	MaxCost  int64

	Changed  []string // files that were changed, in order of the first change
	Tainted  []string // sources of untrusted text
	Head     event.AuditHead
	Working  event.Working
	Queued   []string
	Notices  []event.Notice
	Todo     []event.TodoItem
	Question *event.Question // the open one
	Last     string          // the last answer
	Said     []string        // what the person said, oldest first; of a long session the end
	Closed   bool

	Items []*Item
	Rev   uint64 // grows with every change of the State

	Thought  string               // how much the model may think; "" when nobody said
	Windowed string               // the timed window that is open: trust, unsafe; "" for none
	Until    time.Time            // its end
	Jobs     []Job                // that run in the background
	Left     Egress               // what left the machine
	Offered  []event.SlashCommand // what the person has ready under names
	Points   []event.UndoPoint    // what can be taken back, newest first, as the session said last
	Plan     *event.UndoPlan      // what the undo that was asked about would do

	netCall string          // the call that Network is about, "" when it is the session's own
	netRest string          // Network while no call uses it
	netTold map[string]bool // what was told of netCall
	calls   map[string]*Item
	streams int // how many of the last items are coming in
	ids     int
	said    int    // bytes in Said
	now     uint64 // number of the event that is being applied; 0 for one that is not stored

	resting int   // how many of the first items were looked at by Rest
	awake   []int // those of them that say something
}

// Name is the last element of the root folder.
func (s *State) Name() string { return s.Root[strings.LastIndexByte(s.Root, '/')+1:] }

// Added is the ID of the item that was added last.
func (s *State) Added() int { return s.ids }

// Apply is what an event comes to.
func (s *State) Apply(e event.Event) {
	if s.calls == nil {
		s.calls = map[string]*Item{}
	}
	if e.Seq != 0 {
		if e.Seq <= s.Seq {
			return // told twice
		}
		s.Seq = e.Seq
	}
	if e.Session != "" {
		s.ID = e.Session
	}
	s.now = e.Seq
	s.Rev++
	if !s.applyTalk(e) && !s.applyCall(e) && !s.applyWorld(e) {
		s.applyRest(e)
	}
}

// applyTalk applies what is said.
func (s *State) applyTalk(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.TurnStarted:
		s.Turn, s.Busy = b.Turn, true
		if s.Title == "" {
			s.Title = headline(b.Text)
		}
		s.say(b.Text)
		s.Notices = slices.DeleteFunc(s.Notices, func(n event.Notice) bool { return n.Key == "" })
		s.add(&Item{Kind: You, Told: &Told{Text: b.Text, Word: images(b.Images), At: e.Time}})
	case event.Interjected:
		s.say(b.Text)
		s.add(&Item{Kind: You, Told: &Told{Text: b.Text, Word: "during the turn", At: e.Time}})
	case event.TextDelta:
		s.stream(Pilot, b.Text, e)
	case event.ReasoningDelta:
		s.stream(Thought, b.Text, e)
	case event.Reply:
		s.reply(b, e)
	case event.TurnEnded:
		s.Busy, s.Working = false, event.Working{}
		s.closeStreams()
		if b.Status != "done" {
			s.add(&Item{Kind: Ended, Told: &Told{Text: b.Message, Word: b.Status, At: e.Time}})
		}
	default:
		return false
	}
	return true
}

// maxSaid is how much of what the person said is kept to be said again, in
// bytes; the oldest goes first.
const maxSaid = 1 << 20

func (s *State) say(text string) {
	s.Said = append(s.Said, text)
	s.said += len(text)
	for s.said > maxSaid && len(s.Said) > 1 {
		s.said -= len(s.Said[0])
		s.Said[0], s.Said = "", s.Said[1:]
	}
}

// maxTitle is how long a title may be that nobody gave, in characters.
const maxTitle = 60

// headline is the first line of a message, as a title.
func headline(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	n := 0
	for i := range line {
		if n == maxTitle {
			return line[:i] + " .."
		}
		n++
	}
	return line
}

// stream adds a piece to the answer or the reasoning that is coming in.
func (s *State) stream(kind Kind, text string, e event.Event) {
	n := len(s.Items)
	if s.streams > 0 && s.Items[n-1].Kind == kind {
		s.Items[n-1].append(text)
		return
	}
	if s.streams > 0 {
		s.Items[n-1].close()
	}
	it := &Item{Kind: kind, Open: true, Told: &Told{At: e.Time}}
	it.append(text)
	s.add(it)
	s.streams++
}

// closeStreams ends what was coming in. A piece of an answer that was not
// followed by the whole (the turn was stopped) stays as it is.
func (s *State) closeStreams() {
	if s.streams > 0 {
		s.Items[len(s.Items)-1].close()
	}
	s.streams = 0
}

// reply puts the whole answer in the place of its pieces.
func (s *State) reply(b event.Reply, e event.Event) {
	s.Items = s.Items[:len(s.Items)-s.streams]
	s.streams = 0
	if b.Reasoning != "" {
		s.add(&Item{Kind: Thought, Told: &Told{Text: b.Reasoning, At: e.Time}})
	}
	if b.Text != "" {
		s.Last = b.Text
		s.add(&Item{Kind: Pilot, Told: &Told{Text: b.Text, At: e.Time}})
	}
	s.Used = b.Usage.Input + b.Usage.CacheRead + b.Usage.CacheWrite + b.Usage.Output
	if b.Usage.Cost != nil {
		s.Cost += *b.Usage.Cost
	} else if s.Used > 0 {
		s.Unpriced = true
	}
}

// applyRest applies what is neither said nor done.
func (s *State) applyRest(e event.Event) {
	switch b := e.Body.(type) {
	case event.Opened:
		s.opened(b, e)
	case event.QuestionOpened:
		q := b.Question
		s.Question = &q
		if q.Call != "" && q.Kind != event.AskUnknown {
			// A call starts when it may: until then its question is all there is.
			it := s.call(q.Call, e.Time)
			if it.Call.Title == "" {
				it.Call.Tool, it.Call.Title = q.Tool, q.Title
			}
			it.Call.Held = true
		}
	case event.QuestionClosed:
		s.closed(b, e)
	case event.LevelChanged:
		s.Level = b.To
		s.aside(&Item{Kind: Change, Told: &Told{Word: "level", Text: b.From + " -> " + b.To, By: b.By, At: e.Time}})
	case event.ModelChanged:
		s.Provider, s.Model, s.Window = b.Provider, b.Model, b.Window
		s.aside(&Item{Kind: Change, Told: &Told{Word: "model", Text: b.Provider + " " + b.Model, At: e.Time}})
	case event.TodoChanged:
		s.Todo = b.Items
	case event.Notice:
		s.notice(b, e)
	case event.Tainted:
		if !slices.Contains(s.Tainted, b.Source) {
			s.Tainted = append(s.Tainted, b.Source)
		}
	case event.Renamed:
		s.Title = b.Title
	case event.AuditHead:
		s.Head = b
	case event.Working:
		s.Working = b
	case event.Queued:
		s.Queued = b.Texts
	case event.Closed:
		s.Closed = true
	}
}

// netAtRest takes a call that has ended out of the status line.
func (s *State) netAtRest(call string) {
	if s.netCall != "" && s.netCall == call {
		s.Network, s.netCall, s.netTold = s.netRest, "", nil
	}
}

// Expect takes what is known of a session that is being opened.
func (s *State) Expect(b event.Opened) {
	s.Root, s.Level, s.Sandbox, s.Network = b.Root, b.Level, b.Sandbox, b.Network
	s.Provider, s.Model, s.Window, s.MaxCost = b.Provider, b.Model, b.Window, b.MaxCost
}

func (s *State) opened(b event.Opened, e event.Event) {
	s.Opened, s.Resumed, s.Front, s.Closed = true, b.Resumed, b.Front, false
	s.Expect(b)
	if b.Title != "" {
		s.Title = b.Title
	}
	s.Windowed, s.Until, s.Jobs = "", time.Time{}, nil
	s.Question, s.Busy = nil, false // they died with the process before
	s.closeStreams()
	if b.Resumed {
		s.add(&Item{Kind: Change, Told: &Told{Word: "resumed", Text: e.Time.Format("2006-01-02 15:04"), At: e.Time}})
	}
}

// closed ends the question. Only what the person did not see happen is told.
func (s *State) closed(b event.QuestionClosed, e event.Event) {
	if s.Question == nil || s.Question.ID != b.ID {
		return
	}
	if it := s.calls[s.Question.Call]; it != nil && it.Told != nil {
		it.Call.Held, it.Call.Since = false, e.Time
		it.told(s.now)
		it.Rev++
	}
	if b.How == "timeout" {
		s.aside(&Item{Kind: Change, Told: &Told{Word: "timeout", Text: s.Question.Title, At: e.Time}})
	}
	s.Question = nil
}

// Held says that a call is neither done nor decided about.
func (s *State) Held(call string) bool {
	it := s.calls[call]
	return it != nil && it.Told != nil && !it.Call.Done && it.Call.Decision == ""
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
		s.aside(&Item{Kind: Change, Told: &Told{Word: b.Key, Text: head, Body: body, Full: true, At: e.Time}})
		return
	}
	s.Notices = append(s.Notices, b)
	if n := len(s.Notices); n > maxNotices {
		s.Notices = slices.Delete(s.Notices, 0, n-maxNotices)
	}
}
