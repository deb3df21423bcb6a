package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// proposal is a question about an edit of two hunks, with lines left out.
func proposal(id string, left ...int) event.Question {
	q := event.Question{
		ID: id, Digest: strings.Repeat(id, 8), Call: "c1", Tool: "str_replace", Kind: event.AskEdit, Title: "edit scan.go", Revisable: true,
		Proposals: []event.Proposal{{Path: "scan.go", Text: "whole\n"}},
		Lines: []event.Line{
			{Kind: event.LineFact, Text: "write     scan.go"},
			{Kind: event.LineHunk, Text: "@@ lines 1-3"},
			{Kind: event.LineContext, Text: "    1     1   func a() {"},
			{Kind: event.LineDelete, Text: "    2       - one"},
			{Kind: event.LineAdd, Text: "          2 + two"},
			{Kind: event.LineHunk, Text: "@@ lines 9-9"},
			{Kind: event.LineAdd, Text: "          9 + three"},
		},
		Opened: time.Now(), Deadline: time.Now().Add(5 * time.Minute),
	}
	for _, i := range left {
		q.Lines[i].Kind = event.LineLeft
		q.Lines[i].Text += "   (left out)"
	}
	q.LinesHash = event.HashLines(q.Lines)
	return q
}

// reviewing opens a question that can be revised; the session answers each
// revision with the question about it.
func reviewing(t *testing.T, q event.Question, f func(*tuitest.Program, *tuitest.Session)) {
	t.Helper()
	put(t, 100, 30, q, func(p *tuitest.Program, s *tuitest.Session) {
		now, n := q, 0
		s.On = func(c event.Command) []event.Body {
			r, ok := c.(event.Revise)
			if !ok || r.Question != now.ID || r.Digest != now.Digest {
				return nil
			}
			n++
			old := now.ID
			now = proposal(fmt.Sprintf("n%d", n), r.Files[0].Drop...)
			return []event.Body{event.QuestionClosed{ID: old, How: "revised"}, event.QuestionOpened{Question: now}}
		}
		p.Wait(3 * time.Second)
		f(p, s)
	})
}

// said are the revisions and answers so far.
func said(s *tuitest.Session) string {
	var out []string
	for _, c := range s.Commands() {
		switch c := c.(type) {
		case event.Revise:
			for _, f := range c.Files {
				out = append(out, fmt.Sprintf("revise %s %v", c.Question, f.Drop))
			}
		case event.Answer:
			out = append(out, fmt.Sprintf("answer %s %d", c.Question, c.Choice))
		default:
			out = append(out, fmt.Sprintf("%T", c))
		}
	}
	return strings.Join(out, "; ")
}

func TestReviewByKeys(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys string // with . for a second's rest, and , for nothing
		want string
	}{
		{"all of it", ".a.", "answer q 1"},
		{"a line", "S.a.", "revise q [3]; answer n1 1"},
		{"a line, and back before it rests", "SS.a.", "answer q 1"},
		{"two lines at once", "SDS.a.", "revise q [3 4]; answer n1 1"},
		{"a hunk", "h.a.", "revise q [3 4]; answer n1 1"},
		{"the file, and a line back", "f.DDDS.a.", "revise q [3 4 6]; revise n1 [3 4]; answer n2 1"},
		{"nothing left cannot be applied", "f.a.", "revise q [3 4 6]"},
		{"nothing left can be rejected", "f.x.", "revise q [3 4 6]; answer n1 0"},
		{"a range", "VDDDS.a.", "revise q [3 4 6]"},
		{"a hunk, and on at once", "hD.a.", "revise q [3 4]; answer n1 1"},
		{"a range given up", "VV.a.", "answer q 1"},
		{"the answer comes before the rest", "Sa.", "revise q [3]"},
		{"typing is neither", "he wants", ""},
		{"space is no answer", "S.S.", "revise q [3]; revise n1 []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reviewing(t, proposal("q"), func(p *tuitest.Program, s *tuitest.Session) {
				for _, k := range tt.keys {
					switch k {
					case '.':
						p.Wait(2 * time.Second)
					case 'S':
						p.Send(" ")
						p.Wait(50 * time.Millisecond)
					case 'D':
						p.Send(termtest.Key("down"))
						p.Wait(50 * time.Millisecond)
					default:
						p.Send(string(k))
						p.Wait(30 * time.Millisecond)
					}
				}
				p.Wait(2 * time.Second)
				if got := said(s); got != tt.want {
					t.Errorf("%q, want %q\n%s", got, tt.want, p.Screen.Text())
				}
			})
		})
	}
}

// TestReviewScreen shows what becomes of each line.
func TestReviewScreen(t *testing.T) {
	reviewing(t, proposal("q"), func(p *tuitest.Program, s *tuitest.Session) {
		p.Send(" ")
		p.Wait(2 * time.Second)
		text := p.Screen.Text()
		for _, want := range []string{">.    2       - one   (left out)", " *          2 + two", "space line  h hunk  V range  f file", "apply what is marked * (2 of 3 lines)", "e edit in $EDITOR"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	})
}

// TestAKeyThatCanDoNothingSaysSo, also while a question has the screen; the next
// key takes the words away, and the answer keys still do what they did.
func TestAKeyThatCanDoNothingSaysSo(t *testing.T) {
	reviewing(t, proposal("q"), func(p *tuitest.Program, s *tuitest.Session) {
		p.Send("e")
		p.Wait(2 * time.Second)
		if text := p.Screen.Text(); !strings.Contains(text, "there is no editor here") || !strings.Contains(text, "ARMED") {
			t.Errorf("e said nothing:\n%s", text)
		}
		p.Send("a")
		p.Wait(2 * time.Second)
		if text := p.Screen.Text(); strings.Contains(text, "no editor") || said(s) != fmt.Sprintf("answer q %d", event.Once) {
			t.Errorf("%s\n%s", said(s), text)
		}
	})
}

// TestARevisionThatEndsInNoQuestion: the room goes when the call was decided
// about.
func TestARevisionThatEndsInNoQuestion(t *testing.T) {
	put(t, 100, 30, proposal("q"), func(p *tuitest.Program, s *tuitest.Session) {
		s.On = func(c event.Command) []event.Body {
			if _, ok := c.(event.Revise); !ok {
				return nil
			}
			return []event.Body{event.QuestionClosed{ID: "q", How: "revised"}, event.CallDecided{Call: "c1", Decision: "blocked", By: "floor"},
				event.CallResult{Call: "c1", Tool: "str_replace", Title: "edit scan.go", Status: "blocked", Decision: "blocked"}}
		}
		p.Wait(3 * time.Second)
		p.Send(" ")
		p.Wait(2 * time.Second)
		if text := p.Screen.Text(); strings.Contains(text, "asking anew") || strings.Contains(text, "space line") {
			t.Errorf("the room is still there\n%s", text)
		}
		p.Type("hello")
		if got := said(s); !slices.Equal(strings.Split(got, "; "), []string{"revise q [3]"}) {
			t.Errorf("%s", got)
		}
	})
}
