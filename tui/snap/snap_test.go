package snap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

func fold(bodies ...event.Body) *State {
	s := &State{}
	for _, b := range bodies {
		e := event.Event{Time: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Session: "s", Body: b}
		if !e.Transient() {
			e.Seq = s.Seq + 1
		}
		s.Apply(e)
	}
	return s
}

func story(s *State) string {
	var out []string
	for _, it := range s.Talk.Items {
		text := it.Text
		switch it.Kind {
		case Tool:
			text = fmt.Sprintf("%s %s %v %v", it.Call.Title, it.Call.Status, it.Call.Held, it.Call.Done)
		case Change, Ended:
			text = it.Word + " " + it.Text
		}
		out = append(out, fmt.Sprintf("%d:%s", it.Kind, text))
	}
	return strings.Join(out, "|")
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []event.Body
		want   string
	}{
		{"a reply takes the place of its pieces", []event.Body{
			event.TurnStarted{Turn: 1, Text: "hi"}, event.ReasoningDelta{Text: "hm"}, event.TextDelta{Text: "a"}, event.ReasoningDelta{Text: "m"}, event.TextDelta{Text: "b"},
			event.Reply{Text: "ab", Reasoning: "hmm"},
		}, "1:hi|3:hmm|2:ab"},
		{"pieces of a stopped answer stay", []event.Body{
			event.TextDelta{Text: "a"}, event.TextDelta{Text: "b"}, event.TurnEnded{Status: "cancelled", Message: "stopped"},
			event.TextDelta{Text: "c"}, event.Reply{Text: "cd"},
		}, "2:ab|6:cancelled stopped|2:cd"},
		{"a reply of calls alone says nothing", []event.Body{event.Reply{Calls: []event.Call{{ID: "1"}}}}, ""},
		{"a call", []event.Body{
			event.CallStarted{Call: "1", Title: "run x"}, event.QuestionOpened{Question: event.Question{ID: "q", Call: "1"}},
			event.QuestionClosed{ID: "q", How: "answered"}, event.CallDecided{Call: "1", Decision: "approved"}, event.OutputDelta{Call: "1", Text: "o"},
			event.CallResult{Call: "1", Status: "ok", Title: "run x"},
		}, "4:run x ok false true"},
		{"a held call", []event.Body{
			event.CallStarted{Call: "1", Title: "run x"}, event.QuestionOpened{Question: event.Question{ID: "q", Call: "1"}},
		}, "4:run x  true false"},
		{"a question that comes before its call starts", []event.Body{
			event.QuestionOpened{Question: event.Question{ID: "q", Call: "1", Title: "run x"}},
		}, "4:run x  true false"},
		{"a refused call that never started", []event.Body{
			event.QuestionOpened{Question: event.Question{ID: "q", Call: "1", Title: "run x"}}, event.QuestionClosed{ID: "q", How: "answered"}, event.CallResult{Call: "1", Status: "rejected", Title: "run x"},
		}, "4:run x rejected false true"},
		{"what a crash left open", []event.Body{
			event.CallResult{Call: "1", Status: "unknown", Title: "run x"}, event.QuestionOpened{Question: event.Question{ID: "q", Call: "1", Kind: event.AskUnknown}},
		}, "4:run x unknown false true"},
		{"an id that is used twice", []event.Body{
			event.CallResult{Call: "1", Status: "ok", Title: "one"}, event.CallStarted{Call: "1", Title: "two"},
		}, "4:one ok false true|4:two  false false"},
		{"recovered", []event.Body{
			event.CallStarted{Call: "1", Title: "one"}, event.CallResult{Call: "1", Status: "unknown"}, event.Recovered{Call: "1", Title: "one", Status: "unknown"},
		}, "4:one unknown false true"},
		{"a question that nobody answered", []event.Body{
			event.QuestionOpened{Question: event.Question{ID: "q", Title: "run x"}}, event.QuestionClosed{ID: "other"}, event.QuestionClosed{ID: "q", How: "timeout"},
		}, "5:timeout run x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := story(fold(c.events...)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	cost := int64(5)
	s := fold(
		event.Opened{Root: "/home/x/parser", Level: "always_ask", Sandbox: "auto A", Network: "off", Window: 100},
		event.Reply{Usage: event.Usage{Input: 30, Output: 1, Cost: &cost}}, event.Reply{Usage: event.Usage{Input: 40, Cost: &cost}},
		event.CallResult{Call: "1", Changes: []event.Change{{Path: "a"}, {Path: "b", To: "c"}, {Path: "a"}}},
		event.LevelChanged{From: "always_ask", To: "never_ask"}, event.ModelChanged{Provider: "p", Model: "m", Window: 9},
		event.Notice{Key: "k", Text: "one"}, event.Notice{Key: "k", Text: "two"}, event.Notice{Text: "three"},
	)
	if got := fold(event.TurnStarted{Text: "  fix 日本 " + strings.Repeat("x", 80) + "\nmore"}).Session.Title; got != "fix 日本 "+strings.Repeat("x", 53)+" .." {
		t.Errorf("the title is %q", got)
	}
	if s.Session.Name() != "parser" || s.Spent.Used != 40 || s.Spent.Cost != 10 || s.Spent.Unpriced || len(s.Changed) != 2 || s.Terms.Level != "never_ask" || s.Model.Window != 9 {
		t.Errorf("%+v", s)
	}
	if len(s.Notices) != 2 || s.Notices[0].Text != "two" {
		t.Errorf("notices %v", s.Notices)
	}
	s.Apply(event.Event{Body: event.Notice{Key: "k"}})
	if len(s.Notices) != 1 {
		t.Errorf("notices %v", s.Notices)
	}
	s.Apply(event.Event{Body: event.Notice{Key: "mcp", Text: "two servers\none\ntwo"}})
	if it := s.Talk.Items[len(s.Talk.Items)-1]; len(s.Notices) != 1 || it.Kind != Change || it.Text != "two servers" || it.Body != "one\ntwo" || !it.Full {
		t.Errorf("an answer of many lines is %+v", it)
	}
	before := s.Rev
	s.Apply(event.Event{Seq: s.Seq, Body: event.Notice{Text: "told twice"}})
	if s.Rev != before {
		t.Error("an event that was told twice counted twice")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	var bodies []event.Body
	for range 40 {
		bodies = append(bodies, event.TextDelta{Text: strings.Repeat("x", 1<<16)}, event.OutputDelta{Call: "1", Text: strings.Repeat("line\n", 1<<12)})
	}
	s := fold(bodies...)
	for _, it := range s.Talk.Items {
		if len(it.Text) > maxStream || len(it.Call.Output) > 3*maxTail {
			t.Errorf("%d bytes of text, %d of output are kept", len(it.Text), len(it.Call.Output))
		}
	}
}

// TestBannersEnd: what is over is not told any longer.
func TestBannersEnd(t *testing.T) {
	retry, done, bad := event.Notice{Severity: "warn", Key: "retry", Text: "again"}, event.Notice{Severity: "info", Key: "undo", Text: "put back a"}, event.Notice{Severity: "warn", Key: "model", Text: "not changed"}
	for name, end := range map[string]struct {
		body event.Body
		want int
	}{
		"an answer": {event.Reply{Text: "x"}, 2}, "the end of the turn": {event.TurnEnded{Turn: 1, Status: "stopped"}, 2}, "the next turn": {event.TurnStarted{Turn: 2, Text: "go"}, 2}, "a call": {event.CallStarted{Call: "1"}, 3},
	} {
		var s State
		for _, b := range []event.Body{retry, done, bad, end.body} {
			s.Apply(event.Event{Body: b})
		}
		if len(s.Notices) != end.want {
			t.Errorf("after %s: %+v", name, s.Notices)
		}
	}
}
