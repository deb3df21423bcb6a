package snap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Talk is the conversation: what was said, thought and done, oldest first.
type Talk struct {
	Items []*Item
	Turn  int      // the number of the last one
	Said  []string // what the person said, oldest first; of a long session the end
	Last  string   // the last answer

	now     uint64 // number of the event that is being applied; 0 for one that is not stored
	ids     int
	calls   map[string]*Item
	streams int // how many of the last items are coming in
	said    int // bytes in Said

	resting int   // how many of the first items were looked at by Rest
	awake   []int // those of them that say something
}

// Added is the ID of the item that was added last.
func (t *Talk) Added() int { return t.ids }

// applyTalk applies what is said.
func (s *State) applyTalk(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.TurnStarted:
		s.Talk.Turn, s.Busy = b.Turn, true
		if s.Session.Title == "" {
			s.Session.Title = headline(b.Text)
		}
		s.over(func(n event.Notice) bool { return n.Key == "" || n.Severity == "info" }) // what was done is old news
		s.Talk.you(b.Text, images(b.Images), e)
	case event.Interjected:
		s.Talk.you(b.Text, "during the turn", e)
	case event.TextDelta:
		s.Talk.stream(Pilot, b.Text, e)
	case event.ReasoningDelta:
		s.Talk.stream(Thought, b.Text, e)
	case event.Reply:
		s.over(retrying)
		s.Talk.reply(b, e)
		s.Spent.add(b.Usage)
	case event.TurnEnded:
		s.Busy, s.Working = false, event.Working{}
		s.over(retrying)
		s.Talk.closeStreams()
		if b.Status != "done" {
			s.Talk.add(&Item{Kind: Ended, Told: &Told{Text: b.Message, Word: b.Status, At: e.Time}})
		}
	default:
		return false
	}
	return true
}

// over takes banners away that say nothing true any more.
func (s *State) over(is func(event.Notice) bool) {
	s.Notices = slices.DeleteFunc(s.Notices, is)
}

// retrying is about a request that is tried again.
func retrying(n event.Notice) bool { return n.Key == "retry" }

// add appends an item. What was coming in ends with whatever follows it.
func (t *Talk) add(it *Item) {
	if !it.Open {
		t.closeStreams()
	}
	t.number(it)
	t.Items = append(t.Items, it)
}

// number gives an item its own number, and the event that it comes from.
func (t *Talk) number(it *Item) {
	t.ids++
	it.ID, it.Turn = t.ids, t.Turn
	it.told(t.now)
}

// told notes that a stored event is about the item.
func (it *Item) told(seq uint64) {
	if n := len(it.Seqs); seq != 0 && (n == 0 || it.Seqs[n-1] != seq) {
		it.Seqs = append(it.Seqs, seq)
	}
}

// aside appends an item that has nothing to do with what is coming in: it goes
// before that, which goes on.
func (t *Talk) aside(it *Item) {
	t.number(it)
	t.Items = slices.Insert(t.Items, len(t.Items)-t.streams, it)
}

// tell says aside that something about the session changed.
func (t *Talk) tell(e event.Event, word, text string) {
	t.aside(&Item{Kind: Change, Told: &Told{Word: word, Text: text, At: e.Time}})
}

// maxSaid is how much of what the person said is kept to be said again, in
// bytes; the oldest goes first.
const maxSaid = 1 << 20

// you adds what the person said.
func (t *Talk) you(text, word string, e event.Event) {
	t.Said = append(t.Said, text)
	t.said += len(text)
	for t.said > maxSaid && len(t.Said) > 1 {
		t.said -= len(t.Said[0])
		t.Said[0], t.Said = "", t.Said[1:]
	}
	t.add(&Item{Kind: You, Told: &Told{Text: text, Word: word, At: e.Time}})
}

// stream adds a piece to the answer or the reasoning that is coming in.
func (t *Talk) stream(kind Kind, text string, e event.Event) {
	n := len(t.Items)
	if t.streams > 0 && t.Items[n-1].Kind == kind {
		t.Items[n-1].append(text)
		return
	}
	if t.streams > 0 {
		t.Items[n-1].close()
	}
	it := &Item{Kind: kind, Open: true, Told: &Told{At: e.Time}}
	it.append(text)
	t.add(it)
	t.streams++
}

// closeStreams ends what was coming in. A piece of an answer that was not
// followed by the whole (the turn was stopped) stays as it is.
func (t *Talk) closeStreams() {
	if t.streams > 0 {
		t.Items[len(t.Items)-1].close()
	}
	t.streams = 0
}

// reply puts the whole answer in the place of its pieces.
func (t *Talk) reply(b event.Reply, e event.Event) {
	t.Items = t.Items[:len(t.Items)-t.streams]
	t.streams = 0
	if b.Reasoning != "" {
		t.add(&Item{Kind: Thought, Told: &Told{Text: b.Reasoning, At: e.Time}})
	}
	if b.Text != "" {
		t.Last = b.Text
		t.add(&Item{Kind: Pilot, Told: &Told{Text: b.Text, At: e.Time}})
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

// images says how many pictures came with a message.
func images(refs []event.ImageRef) string {
	switch len(refs) {
	case 0:
		return ""
	case 1:
		return "with a picture: " + refs[0].Name
	default:
		return fmt.Sprintf("with %d pictures", len(refs))
	}
}
