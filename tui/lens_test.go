package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// wideQuestion is an edit with a line of 300 cells whose end is what matters.
func wideQuestion() event.Question {
	q := proposal("q")
	for i := range 60 {
		if i == 30 {
			q.Lines = append(q.Lines, event.Line{Kind: event.LineAdd, Text: "         40 + " + strings.Repeat("harmless ", 32) + "EVIL"})
		}
		q.Lines = append(q.Lines, event.Line{Kind: event.LineAdd, Text: fmt.Sprintf("      %5d + line %d", 41+i, 41+i)})
	}
	return hash(q)
}

// TestALineBesideTheScreenIsNotSeen: who lets long lines run on cannot allow by
// that what he did not see; moving along them shows it, and breaking them again
// lets him read on.
func TestALineBesideTheScreenIsNotSeen(t *testing.T) {
	put(t, 60, 16, wideQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(2 * time.Second)
		p.Keys("w")
		for range 12 {
			p.Keys("pgdown")
		}
		p.Wait(time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if text := p.Screen.Text(); len(s.Answers()) > 0 || !strings.Contains(text, "READ ON") {
			t.Errorf("answers %v to what was not seen:\n%s", s.Answers(), text)
		}
		p.Keys("/")
		p.Type("harmless")
		p.Keys("enter")
		for range 18 {
			p.Keys("right")
		}
		if text := p.Screen.Text(); !strings.Contains(text, "EVIL") {
			t.Errorf("the end of the line is not there:\n%s", text)
		}
		p.Keys("a")
		p.Wait(time.Second)
		if len(s.Answers()) > 0 {
			t.Errorf("answers %v: the middle of the line was never on a screen as a whole", s.Answers())
		}
		p.Keys("w", "home")
		for range 12 {
			p.Keys("pgdown")
		}
		p.Wait(2 * time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if got := said(s); got != "answer q 1" {
			t.Errorf("%q\n%s", got, p.Screen.Text())
		}
	})
}

// TestFindInAReview: / finds downwards, n and N go on; looking answers nothing,
// and a word that begins with one of these letters is typing.
func TestFindInAReview(t *testing.T) {
	put(t, 100, 30, wideQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(3 * time.Second)
		cursor := func() string {
			for line := range strings.Lines(p.Screen.Text()) {
				if strings.HasPrefix(line, ">") {
					return strings.TrimSpace(line[2:])
				}
			}
			return "none"
		}
		p.Keys("/")
		p.Type("LINE 7")
		p.Keys("enter")
		first := cursor()
		p.Keys("n")
		second := cursor()
		p.Keys("N")
		if first != "70 + line 70" || second != "71 + line 71" || cursor() != first {
			t.Errorf("the cursor was at %q, %q, %q\n%s", first, second, cursor(), p.Screen.Text())
		}
		p.Keys("/")
		p.Type("nowhere")
		p.Keys("enter")
		if text := p.Screen.Text(); !strings.Contains(text, "not found: nowhere") || cursor() != first {
			t.Errorf("it is not said, or the cursor moved:\n%s", text)
		}
		p.Keys("esc")
		p.Wait(500 * time.Millisecond)
		if text := p.Screen.Text(); strings.Contains(text, "not found") || !strings.Contains(text, "space line") {
			t.Errorf("esc does not end the search:\n%s", text)
		}
		p.Keys("/")
		p.Send(termtest.Paste("line 60\n"))
		p.Keys("a", "x", "esc")
		p.Wait(time.Second)
		for _, r := range "why not" {
			p.Send(string(r))
			p.Wait(20 * time.Millisecond)
		}
		p.Wait(time.Second)
		if text := p.Screen.Text(); said(s) != "" || !strings.Contains(text, "> why not") {
			t.Errorf("told %q, and typing is\n%s", said(s), text)
		}
	})
}
