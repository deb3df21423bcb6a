package snap

import (
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Kind is what an item of the transcript is.
type Kind uint8

// Kinds of items.
const (
	You     Kind = iota + 1 // what the person said
	Pilot                   // what the model answered
	Thought                 // the model's reasoning
	Tool                    // a call
	Change                  // something about the session changed
	Ended                   // a turn that did not end as it should
)

// An Item is one entry of the transcript: where it stands in the session's log,
// and what it says. What it says is in memory near the end and where the person
// reads; elsewhere the log alone has it, and the item is at rest (see State.Rest).
type Item struct {
	ID    int // one of its own, also when another item takes its place
	Kind  Kind
	Open  bool // still coming in
	Turn  int
	Rev   int      // grows with every change
	Seqs  []uint64 // the stored events that told it, in order
	Lines int      // about how many it has on a screen; set at rest
	*Told          // nil at rest
}

// Told is what an item says.
type Told struct {
	Text string // of others
	Word string // Change: what changed; Ended: the status
	By   string // Change: who did
	Body string // Change: what it says when it is opened
	Full bool   // Change: it is open until the person folds it
	At   time.Time
	Call Call // Tool
}

// maxStream is how much of one stream is kept, in bytes. The whole comes with
// the event that closes it.
const maxStream = 1 << 20

func (it *Item) append(text string) {
	it.Rev++
	if room := maxStream - len(it.Text); len(text) > room {
		text = text[:room]
	}
	it.Text += text
}

func (it *Item) close() {
	it.Open = false
	it.Rev++
}

// Call is what is known of a tool call.
type Call struct {
	ID       string
	Tool     string
	Title    string
	Effects  []string
	Held     bool // its question is open
	Done     bool
	Decision string
	By       string
	Rule     string
	Reason   string
	Status   string
	Exit     *int
	Signal   string
	Millis   int64
	Body     string
	Output   string // what came so far, while it runs
	Hidden   int
	Diff     string
	Files    []string // that it changed
	Images   int
	Left     []string // what left the machine for it, one line each
	Since    time.Time
}

// add appends an item. What was coming in ends with whatever follows it.
func (s *State) add(it *Item) {
	if !it.Open {
		s.closeStreams()
	}
	s.number(it)
	s.Items = append(s.Items, it)
}

// number gives an item its own number, and the event that it comes from.
func (s *State) number(it *Item) {
	s.ids++
	it.ID, it.Turn = s.ids, s.Turn
	it.told(s.now)
}

// told notes that a stored event is about the item.
func (it *Item) told(seq uint64) {
	if n := len(it.Seqs); seq != 0 && (n == 0 || it.Seqs[n-1] != seq) {
		it.Seqs = append(it.Seqs, seq)
	}
}

// aside appends an item that has nothing to do with what is coming in: it goes
// before that, which goes on.
func (s *State) aside(it *Item) {
	s.number(it)
	s.Items = slices.Insert(s.Items, len(s.Items)-s.streams, it)
}

// applyCall applies what is about a call.
func (s *State) applyCall(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.CallStarted:
		it := s.call(b.Call, e.Time)
		it.Call.Tool, it.Call.Title, it.Call.Effects, it.Call.Since = b.Tool, b.Title, b.Effects, e.Time
	case event.CallDecided:
		it := s.call(b.Call, e.Time)
		it.Call.Decision, it.Call.By, it.Call.Rule, it.Call.Reason = b.Decision, b.By, b.Rule, b.Reason
		it.Call.Held = false
	case event.OutputDelta:
		it := s.call(b.Call, e.Time)
		it.Call.Output = tail(it.Call.Output + b.Text)
	case event.CallResult:
		s.netAtRest(b.Call)
		s.result(s.call(b.Call, e.Time), b)
	case event.Recovered:
		it := s.calls[b.Call]
		if it == nil {
			it = s.call(b.Call, e.Time)
		}
		it.told(s.now)
		it.Rev++
		if it.Told == nil {
			break // it says so when it is read again
		}
		it.Call.Tool, it.Call.Title, it.Call.Status, it.Call.Done = b.Tool, b.Title, b.Status, true
	default:
		return false
	}
	return true
}

// call is the item of a call, made when it is heard of for the first time.
func (s *State) call(id string, at time.Time) *Item {
	it := s.calls[id]
	if it == nil || it.Told == nil || it.Call.Done {
		s.closeStreams()
		it = &Item{Kind: Tool, Told: &Told{At: at, Call: Call{ID: id, Since: at}}}
		s.calls[id] = it
		s.add(it)
	}
	it.told(s.now)
	it.Rev++
	return it
}

func (s *State) result(it *Item, b event.CallResult) {
	c := &it.Call
	c.Tool, c.Status, c.Exit, c.Signal = b.Tool, b.Status, b.Exit, b.Signal
	c.Body, c.Hidden, c.Diff, c.Millis = b.Body, b.Hidden, b.Diff, b.Millis
	c.Output, c.Held = "", false
	c.Done = b.Status != "running"
	if b.Title != "" {
		c.Title = b.Title
	}
	if c.Decision == "" {
		c.Decision = b.Decision
	}
	c.Images = len(b.Images)
	for _, ch := range b.Changes {
		name := ch.Path
		if ch.To != "" {
			name = ch.To
		}
		c.Files = append(c.Files, name)
		s.changed(name)
	}
}

func (s *State) changed(name string) {
	for _, n := range s.Changed {
		if n == name {
			return
		}
	}
	s.Changed = append(s.Changed, name)
}

// maxTail is how much of a running command's output is kept, in bytes.
const maxTail = 16 << 10

// tail keeps the end of a text, from a line on.
func tail(s string) string {
	if len(s) <= 2*maxTail {
		return s
	}
	s = s[len(s)-maxTail:]
	for i := range len(s) {
		if s[i] == '\n' {
			return s[i+1:]
		}
	}
	return s
}
