package snap

import (
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

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

// applyCall applies what is about a call.
func (s *State) applyCall(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.CallStarted:
		it := s.Talk.call(b.Call, e.Time)
		it.Call.Tool, it.Call.Title, it.Call.Effects, it.Call.Since = b.Tool, b.Title, b.Effects, e.Time
	case event.CallDecided:
		it := s.Talk.call(b.Call, e.Time)
		it.Call.Decision, it.Call.By, it.Call.Rule, it.Call.Reason = b.Decision, b.By, b.Rule, b.Reason
		it.Call.Held = false
	case event.OutputDelta:
		it := s.Talk.call(b.Call, e.Time)
		it.Call.Output = tail(it.Call.Output + b.Text)
	case event.CallResult:
		s.Net.ended(b.Call)
		s.result(s.Talk.call(b.Call, e.Time), b)
	case event.Recovered:
		it := s.Talk.calls[b.Call]
		if it == nil {
			it = s.Talk.call(b.Call, e.Time)
		}
		it.told(s.Talk.now)
		it.Rev++
		if it.Told == nil {
			break // it says so when it is read again
		}
		it.Call.Tool, it.Call.Title, it.Call.Status, it.Call.Done = b.Tool, b.Title, b.Status, true
	case event.QuestionOpened:
		s.asked(b.Question, e)
	case event.QuestionClosed:
		s.closed(b, e)
	default:
		return false
	}
	return true
}

// call is the item of a call, made when it is heard of for the first time.
func (t *Talk) call(id string, at time.Time) *Item {
	it := t.calls[id]
	if it == nil || it.Told == nil || it.Call.Done {
		t.closeStreams()
		it = &Item{Kind: Tool, Told: &Told{At: at, Call: Call{ID: id, Since: at}}}
		if t.calls == nil {
			t.calls = map[string]*Item{}
		}
		t.calls[id] = it
		t.add(it)
	}
	it.told(t.now)
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
		if !slices.Contains(s.Changed, name) {
			s.Changed = append(s.Changed, name)
		}
	}
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

// asked opens a question. A call starts when it may: until then its question is
// all there is of it.
func (s *State) asked(q event.Question, e event.Event) {
	s.Question = &q
	if q.Call == "" || q.Kind == event.AskUnknown {
		return
	}
	it := s.Talk.call(q.Call, e.Time)
	if it.Call.Title == "" {
		it.Call.Tool, it.Call.Title = q.Tool, q.Title
	}
	it.Call.Held = true
}

// closed ends the question. Only what the person did not see happen is told.
func (s *State) closed(b event.QuestionClosed, e event.Event) {
	if s.Question == nil || s.Question.ID != b.ID {
		return
	}
	if it := s.Talk.calls[s.Question.Call]; it != nil && it.Told != nil {
		it.Call.Held, it.Call.Since = false, e.Time
		it.told(s.Talk.now)
		it.Rev++
	}
	s.Working.Since = e.Time // what went by before was the person's
	if b.How == "timeout" {
		s.Talk.tell(e, "timeout", s.Question.Title)
	}
	s.Question = nil
}

// Held says that a call is neither done nor decided about.
func (t *Talk) Held(call string) bool {
	it := t.calls[call]
	return it != nil && it.Told != nil && !it.Call.Done && it.Call.Decision == ""
}
