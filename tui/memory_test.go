package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// longStory is a session whose beginning does not stay in memory.
func longStory(turns int) []event.Body {
	out := []event.Body{opened()}
	for i := range turns {
		id := fmt.Sprint("call", i)
		out = append(out,
			event.TurnStarted{Turn: i + 1, Text: fmt.Sprintf("question %d", i)},
			event.Reply{Text: fmt.Sprintf("answer **%d**\n\n- one\n- two", i), Reasoning: fmt.Sprintf("thought %d\nand more", i)},
			event.CallStarted{Call: id, Tool: "execute_command", Title: fmt.Sprintf("run step %d", i), Effects: []string{"run it"}},
			event.CallDecided{Call: id, Decision: "approved", By: "user:tui"},
			event.Egress{Call: id, Host: "example.org:443", Method: "CONNECT", Status: "ok", Sent: int64(i)},
			event.CallResult{Call: id, Tool: "execute_command", Title: fmt.Sprintf("run step %d", i), Status: "ok", Exit: num(i % 2), Decision: "approved", Body: fmt.Sprintf("line one of %d\nerror: line two of %d\n", i, i)},
			event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	return out
}

// TestTheWholeConversationIsThere: what rests in the log is scrolled to, opened,
// searched and copied like what is in memory.
func TestTheWholeConversationIsThere(t *testing.T) {
	s := tuitest.NewSession(longStory(400)...)
	tuitest.Play(t, 100, 40, tui.Options{Session: s}, func(p *tuitest.Program) {
		see := func(what string, wants ...string) {
			t.Helper()
			text := p.Screen.Text()
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", what, want, text)
				}
			}
			if strings.Contains(text, "...\n") {
				t.Errorf("%s: something is not there yet:\n%s", what, text)
			}
		}
		if s.Recalls() > 0 {
			t.Errorf("%d recalls, and nobody read", s.Recalls())
		}
		see("the end", "answer 399", "run      step 399")
		p.Keys("shift+up", "home")
		see("the beginning", "question 0", "answer 0", "thought  thought 0", "step 0", "net 1", "approved: you", "question 1")
		p.Keys("down", "down", "down", "enter")
		see("an opened call", "line two of 0", "CONNECT example.org:443")
		p.Keys("end", "/")
		p.Type("answer **57**")
		p.Keys("enter")
		see("found above", "pilot>answer 57", "step 57")
		p.Keys("/")
		p.Type("line one of 123")
		p.Keys("enter")
		see("found beneath what is folded", "line one of 123")
		p.Keys("/")
		p.Type("never said")
		p.Keys("enter")
		see("not found", "not found: never said")
		p.Keys("esc", "f2")
		see("all of it", "the conversation", "line two of 399")
		p.Keys("home")
		see("all of it from its beginning", "question 0")
	})
}

// TestPagingThroughALongConversation: nothing is left out on the way, and no
// dots stay.
func TestPagingThroughALongConversation(t *testing.T) {
	const turns = 200
	s := tuitest.NewSession(longStory(turns)...)
	tuitest.Play(t, 80, 24, tui.Options{Session: s}, func(p *tuitest.Program) {
		seen := map[string]bool{}
		for range 400 {
			text := p.Screen.Text()
			if strings.Contains(text, "...\n") {
				t.Fatalf("dots stay:\n%s", text)
			}
			for line := range strings.Lines(text) {
				if n, ok := strings.CutPrefix(strings.TrimSpace(line), "you   question "); ok {
					seen[n] = true
				}
			}
			if strings.Contains(text, "you   question 0\n") {
				break
			}
			p.Send("\x1b[5~")
			p.Wait(50 * ms)
		}
		if len(seen) != turns {
			t.Errorf("%d of %d turns were on the screen", len(seen), turns)
		}
	})
}

// TestALogThatCannotBeRead says so, once, and the session goes on.
func TestALogThatCannotBeRead(t *testing.T) {
	s := tuitest.NewSession(longStory(400)...)
	s.Lost = true
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		p.Keys("shift+up", "home")
		p.Wait(time.Second)
		n := s.Recalls()
		p.Wait(time.Minute)
		if text := p.Screen.Text(); !strings.Contains(text, "cannot be read from the session's log") || s.Recalls() != n {
			t.Errorf("%d recalls, then %d:\n%s", n, s.Recalls(), text)
		}
		p.Keys("esc")
		p.Type("go on")
		p.Keys("enter")
		if got := commands(s); got != "event.Submit{go on}" {
			t.Errorf("told %q", got)
		}
	})
}

// TestInlineTellsTheEndOfALongSession: what is printed above is printed whole
// before it is let go of, and what is left out is said.
func TestInlineTellsTheEndOfALongSession(t *testing.T) {
	s := tuitest.NewSession(longStory(150)...)
	tuitest.Play(t, 80, 24, tui.Options{Session: s, Mode: tui.Inline}, func(p *tuitest.Program) {
		p.Wait(time.Second)
		s.Emit(event.TurnStarted{Turn: 151, Text: "question 150"}, event.Reply{Text: strings.Repeat("a long answer\n\n", 60)}, event.TurnEnded{Turn: 151, Status: "done"})
		p.Wait(time.Second)
		all := p.Screen.Scrollback() + p.Screen.Text()
		if !strings.Contains(all, " earlier entries are not printed") || strings.Contains(all, "question 100\n") {
			t.Error("all of it is printed, or nothing is said")
		}
		for i := 112; i < 151; i++ {
			if strings.Count(all, fmt.Sprintf("question %d\n", i)) != 1 || i < 150 && strings.Count(all, fmt.Sprintf("line two of %d\n", i)) != i%2 {
				t.Errorf("turn %d is not told once", i)
			}
		}
		if n := strings.Count(all, "a long answer\n"); n != 60 {
			t.Errorf("%d of 60 lines are told", n)
		}
		if text := p.Screen.Text(); !strings.Contains(text, "\n>\n") || !strings.Contains(text, "[=] always_ask") {
			t.Errorf("the message is not there:\n%s", text)
		}
		if t.Failed() {
			t.Log(all)
		}
	})
}
