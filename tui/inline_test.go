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

// TestInline: what is finished goes to the scrollback once, in order; what is
// under way, the composer and the status stay below it.
func TestInline(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, 90, 24, tui.Options{Session: s, Mode: tui.Inline})
		s.Emit(streaming()[1:]...)
		p.Wait(500 * time.Millisecond)
		s.Emit(event.Reply{Text: "first answer"}, event.TurnEnded{Status: "done"}, event.TurnStarted{Turn: 13, Text: "second question"}, event.Reply{Text: "second answer"})
		p.Wait(500 * time.Millisecond)
		p.Type("next 日本")
		all := p.Screen.Scrollback() + p.Screen.Text()
		last := -1
		for _, want := range []string{"Tabs inside strings", "The counter adds eight", "read     \"scan/scan.go\"", "allowed: read rule 3", "first answer", "second question", "second answer", "> next 日本", "[=] always_ask"} {
			at := strings.Index(all, want)
			if at <= last || strings.Count(all, want) != 1 {
				t.Errorf("%q stands at %d, %d times", want, at, strings.Count(all, want))
			}
			last = at
		}
		if p.Screen.AltScreen() {
			t.Error("on the alternate screen")
		}
		s.Emit(asked(commandQuestion())...)
		p.Wait(100 * time.Millisecond)
		p.Keys("ctrl+p", "pgdown", "pgdown", "pgdown")
		p.Wait(time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if a := s.Answers(); len(a) != 1 || a[0].Choice != event.Once {
			t.Errorf("answers %v\n%s", a, p.Screen.Text())
		}
		if t.Failed() {
			t.Log(all)
		}
		p.Quit()
	})
}

// TestInlineReads: what a session that is gone on with printed in an earlier
// terminal is not printed again. It says how many entries that are, and the key
// that it names shows them, as long as the session may be.
func TestInlineReads(t *testing.T) {
	bodies := []event.Body{opened()}
	for n := 1; n <= 150; n++ {
		bodies = append(bodies, event.TurnStarted{Turn: n, Text: fmt.Sprintf("question %d", n)}, event.Reply{Text: fmt.Sprintf("answer %d", n)}, event.TurnEnded{Turn: n, Status: "done"})
	}
	s := tuitest.NewSession(bodies...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Mode: tui.Inline}, func(p *tuitest.Program) {
		p.Wait(20 * time.Second)
		above := p.Screen.Scrollback() + p.Screen.Text()
		if !strings.Contains(above, "100 earlier entries are not printed again: pgup reads them") || !strings.Contains(above, "question 51\n") || strings.Contains(above, "question 50\n") {
			t.Errorf("printed:\n%.2000s", above)
		}
		p.Keys("pgup", "home")
		p.Wait(2 * time.Second)
		if text := p.Screen.Text(); !strings.Contains(text, "question 1\n") || !strings.Contains(text, "answer 3") {
			t.Errorf("the first entries are not shown:\n%s", text)
		}
		p.Keys("esc")
		s.Emit(event.TurnStarted{Turn: 151, Text: "one more"}, event.Reply{Text: "and its answer"}, event.TurnEnded{Turn: 151, Status: "done"})
		p.Wait(5 * time.Second)
		if text := p.Screen.Text(); !strings.Contains(text, "and its answer") || strings.Contains(text, "question 1\n") {
			t.Errorf("it does not go on:\n%s", text)
		}
	})
}
