package snap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

// eventful is a session of n turns in which all happens that an item can come of.
func eventful(n int) []event.Event {
	var out []event.Event
	add := func(bodies ...event.Body) {
		for _, b := range bodies {
			e := event.Event{Time: time.Date(2026, 1, 1, 9, 0, len(out), 0, time.UTC), Session: "s", Body: b}
			if !e.Transient() {
				e.Seq = 1
				for i := len(out) - 1; i >= 0; i-- {
					if out[i].Seq > 0 {
						e.Seq = out[i].Seq + 1
						break
					}
				}
			}
			out = append(out, e)
		}
	}
	add(event.Opened{Root: "/src", Level: "always_ask"})
	long := strings.Repeat("what came before ", 40)
	for i := range n {
		id, other := fmt.Sprint("c", i), "again" // the last one's id is used in every turn
		q := event.Question{ID: "q" + id, Call: id, Tool: "execute_command", Kind: event.AskCommand, Title: "run x", Lines: []event.Line{{Text: "run x"}}}
		add(event.TurnStarted{Turn: i, Text: fmt.Sprint("turn ", i), Images: []event.ImageRef{{Name: "a.png"}}}, event.TextDelta{Text: "ans"}, event.ReasoningDelta{Text: "hm"},
			event.Reply{Text: fmt.Sprint("answer ", i), Reasoning: fmt.Sprint("why ", i)},
			event.QuestionOpened{Question: q}, event.QuestionClosed{ID: q.ID, How: "answered"},
			event.CallStarted{Call: id, Tool: "execute_command", Title: "run x", Effects: []string{"run x"}}, event.CallDecided{Call: id, Decision: "approved", By: "user:tui"},
			event.OutputDelta{Call: id, Text: "out"}, event.Egress{Call: id, Host: "h", Method: "CONNECT", Status: "ok", Sent: int64(i)},
			event.Interjected{Text: fmt.Sprint("and ", i)},
			event.CallResult{Call: id, Tool: "execute_command", Status: "ok", Title: "run x", Body: fmt.Sprint("out ", i), Changes: []event.Change{{Path: "a"}}},
			event.CallResult{Call: other, Tool: "read_file", Status: "ok", Title: fmt.Sprint("read ", i), Body: long},
			event.Compacted{Summary: long, From: 9000, To: 100}, event.WindowChanged{Mode: "trust", Until: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}, event.WindowChanged{},
			event.JobChanged{Job: "j", Call: id, Title: "serve", Status: "running"}, event.JobChanged{Job: "j", Call: id, Title: "serve", Status: "ok"},
			event.CallStarted{Call: "r" + id, Title: "run y"}, event.CallResult{Call: "r" + id, Tool: "execute_command", Status: "unknown"}, event.Recovered{Call: "r" + id, Tool: "execute_command", Title: "run y", Status: "unknown"},
			event.TurnEnded{Turn: i, Status: "cancelled", Message: long})
	}
	return out
}

// stored are the events that a log would give.
func stored(all []event.Event, seqs []uint64) (out []event.Event) {
	for _, n := range seqs {
		for _, e := range all {
			if e.Seq == n {
				out = append(out, e)
			}
		}
	}
	return out
}

// TestARestedItemSaysWhatItSaid: every item that was let go of, told again by its
// events, is the one that it was.
func TestARestedItemSaysWhatItSaid(t *testing.T) {
	all := eventful(30)
	var whole, s State
	for _, e := range all {
		whole.Apply(e)
		s.Apply(e)
		s.Talk.Rest(len(s.Talk.Items), 0, 0)
	}
	if len(whole.Talk.Items) != len(s.Talk.Items) {
		t.Fatalf("%d items, and %d with rests", len(whole.Talk.Items), len(s.Talk.Items))
	}
	kinds := map[Kind]int{}
	for i, it := range s.Talk.Items {
		if r, rests := s.Talk.Rested(i); rests {
			kinds[it.Kind]++
			s.Talk.Wake(r, r.Tell(stored(all, r.Seqs)))
		}
		want := whole.Talk.Items[i]
		if it.Told == nil || it.ID != want.ID || it.Kind != want.Kind || it.Turn != want.Turn {
			t.Fatalf("item %d is %+v, want %+v", i, it, want)
		}
		if d := cmp.Diff(want.Told, it.Told); d != "" {
			t.Errorf("item %d (-was +told again):\n%s", i, d)
		}
	}
	for k := You; k <= Ended; k++ {
		if kinds[k] == 0 {
			t.Errorf("no item of kind %d rested", k)
		}
	}
}

// TestWhatIsReadStays: items in the range that is being read, or that were not
// told yet, do not rest; what is read no more does again.
func TestWhatIsReadStays(t *testing.T) {
	all := eventful(60)
	var s State
	for _, e := range all {
		s.Apply(e)
	}
	here := func() (n int) {
		for _, it := range s.Talk.Items {
			if it.Told != nil && !it.stays() {
				n++
			}
		}
		return n
	}
	total := here()
	s.Talk.Rest(0, 0, 0)
	if here() != total {
		t.Error("what was not told yet rests")
	}
	s.Talk.Rest(len(s.Talk.Items), 100, 140)
	for i, it := range s.Talk.Items[100:140] {
		if it.Told == nil {
			t.Errorf("item %d is being read and rests", 100+i)
		}
	}
	many := here()
	s.Talk.Rest(len(s.Talk.Items), 0, 0)
	if few := here(); few >= many || few > tailItems {
		t.Errorf("%d items say something, and %d when nothing is read", many, few)
	}
	if n := len(s.Talk.awake); n > 0 {
		t.Errorf("%d items are still looked at", n)
	}
	for i := range s.Talk.Items[:100] { // an answer that is late is for the same item, or dropped
		if r, rests := s.Talk.Rested(i); rests {
			r.ID++
			s.Talk.Wake(r, &Told{Text: "another's"})
			if s.Talk.Items[i].Told != nil {
				t.Error("an item says another's words")
			}
		}
	}
}

// TestTheWaitIsThePersons: how long something takes begins anew when a question
// is answered; what went by before was no work.
func TestTheWaitIsThePersons(t *testing.T) {
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	s := &State{}
	for i, b := range []event.Body{
		event.TurnStarted{Turn: 1}, event.Working{On: "tool", Since: at}, event.QuestionOpened{Question: event.Question{ID: "q"}}, event.QuestionClosed{ID: "q", How: "answered"},
	} {
		s.Apply(event.Event{Time: at.Add(time.Duration(i) * time.Minute), Body: b})
	}
	if want := at.Add(3 * time.Minute); !s.Working.Since.Equal(want) {
		t.Errorf("since %s, want %s", s.Working.Since, want)
	}
}
