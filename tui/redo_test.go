package tui_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// TestUndoAllAsks: with a code, and enter is no yes.
func TestUndoAllAsks(t *testing.T) {
	for keys, want := range map[string]int{"": 0, "enter space a y": 0, "x": 0, "d f g h": 1} {
		s := tuitest.NewSession(finished()...)
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
			p.Keys("ctrl+k")
			p.Type("everything in this")
			p.Keys("enter")
			p.Wait(2 * time.Second)
			if !strings.Contains(p.Screen.Text(), "2 files") {
				t.Errorf("it is not asked:\n%s", p.Screen.Text())
			}
			for _, k := range strings.Fields(keys) {
				p.Keys(k)
				p.Wait(500 * ms)
			}
			n := 0
			for _, c := range s.Commands() {
				if reflect.DeepEqual(c, event.Undo{All: true}) {
					n++
				}
			}
			if n != want || n != len(s.Commands()) {
				t.Errorf("%q told %q", keys, commands(s))
			}
		})
	}
}

// TestRedo does again what was taken back last, and says when there is nothing.
func TestRedo(t *testing.T) {
	for _, there := range []bool{false, true} {
		s := tuitest.NewSession(finished()...)
		s.On = func(c event.Command) []event.Body {
			if _, ok := c.(event.ListUndo); !ok || !there {
				return undoPoints(c)
			}
			points := undoPoints(c)[0].(event.UndoPoints).Points
			return []event.Body{event.UndoPoints{Points: append([]event.UndoPoint{
				{Call: "12", Turn: 13, Tool: "undo", Title: "undo a redo", Of: []string{"8"}, Undone: true},
				{Call: "11", Turn: 13, Tool: "undo", Title: "undo", Of: []string{"9"}},
			}, points...)}}
		}
		tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
			p.Keys("ctrl+z", "end", "a")
			want := "event.ListUndo{}"
			if there {
				want = "event.ListUndo{}; undo 11; event.ListUndo{}"
			}
			if got := commands(s); got != want || strings.Contains(p.Screen.Text(), "nothing was taken back that") == there {
				t.Errorf("told %q:\n%s", got, p.Screen.Text())
			}
		})
	}
}

// TestTheTitleFollowsTheBranch: it is looked at when the terminal opens, and
// after each turn.
func TestTheTitleFollowsTheBranch(t *testing.T) {
	name := "main*3"
	d := testDesk()
	d.Branch = func() (string, error) { return name, nil }
	s := tuitest.NewSession(working()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: d}, func(p *tuitest.Program) {
		if !strings.HasPrefix(p.Screen.Text(), "parser  main*3  ") {
			t.Errorf("got\n%s", p.Screen.Text())
		}
		name = "a\x1b[31m\u202e"
		s.Emit(event.TurnEnded{Turn: 12, Status: "done"})
		p.Wait(time.Second)
		if !strings.HasPrefix(p.Screen.Text(), "parser  a<x1B>[31m<U+202E>  ") {
			t.Errorf("got\n%s", p.Screen.Text())
		}
	})
}

// TestWhyAndTheID: of a record, what it was decided by; and what it is known by
// elsewhere.
func TestWhyAndTheID(t *testing.T) {
	var sent []byte
	s := tuitest.NewSession(finished()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Log: newLog()}, func(p *tuitest.Program) {
		p.Screen.Record(func(b []byte) { sent = append(sent, b...) })
		p.Keys("ctrl+g", "up", "w")
		if text := p.Screen.Text(); !strings.Contains(text, "go test ./scan") || strings.Contains(text, "0123456789abcdef") {
			t.Errorf("why is\n%s", text)
		}
		p.Keys("w")
		if text := p.Screen.Text(); !strings.Contains(text, "0123456789abcdef") {
			t.Errorf("all of it is\n%s", text)
		}
		p.Keys("y")
	})
	if !strings.Contains(string(sent), "\x1b]52;c;NDEx\x07") { // "411", its number
		t.Errorf("nothing was sent to the clipboard")
	}
}

// TestAConflictIsResolvedOnTheScreen: each key says one thing about the path
// that is on the screen, a marked text that nobody touched says nothing, and
// none of them is a yes.
func TestAConflictIsResolvedOnTheScreen(t *testing.T) {
	for _, c := range []struct{ name, keys, edited, want string }{
		{"keep", "c k", "", "keep"}, {"old", "c o", "", "old"}, {"from the plan", "enter c k", "", "keep"},
		{"a text", "c e", "package scan\nconst limit = 64\n", "text"}, {"marks and all", "c e", "=", ""},
		{"next, and keep", "c n k", "", "keep"}, {"back", "c esc k o", "", ""}, {"away", "c esc esc k", "", ""},
	} {
		s := tuitest.NewSession(finished()...)
		s.On = undoPoints
		desk := testDesk()
		desk.Edit = func(_, text string) (app.Editing, error) {
			if c.edited != "=" {
				text = c.edited
			}
			return &tuitest.Editor{Leaves: text}, nil
		}
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: desk}, func(p *tuitest.Program) {
			p.Keys("ctrl+z", "down", "down")
			for _, k := range strings.Fields(c.keys) {
				p.Keys(k)
				p.Wait(500 * ms)
			}
			p.Wait(3 * time.Second)
			got := ""
			for _, x := range s.Commands() {
				switch x := x.(type) {
				case event.Undo:
					for _, r := range x.Resolve {
						got += r.How
						if x.Dry || x.Call != "3" || x.Path != "scan/gen.go" || r.Path != x.Path || r.Now != "now" || r.How == event.ResolveText && string(r.Text) != c.edited {
							t.Errorf("%s: told %+v", c.name, x)
						}
					}
				case event.Answer:
					t.Errorf("%s: answered %+v", c.name, x)
				}
			}
			if got != c.want {
				t.Errorf("%s: told %q, want %q\n%s", c.name, got, c.want, p.Screen.Text())
			}
			if asks := strings.Contains(p.Screen.Text(), "resolve a conflict in"); asks != (c.want != "") {
				t.Errorf("%s: asks is %v\n%s", c.name, asks, p.Screen.Text())
			}
		})
	}
}

// TestTheScreenIsThereAfterAnEditor that was over at once: the loop that drew
// before it stops no drawing after it.
func TestTheScreenIsThereAfterAnEditor(t *testing.T) {
	for range 25 {
		s := tuitest.NewSession(finished()...)
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
			p.Keys("ctrl+k")
			p.Type("what a rule")
			p.Keys("enter")
			p.Wait(time.Second)
			if !strings.Contains(p.Screen.Text(), "what the rule would have done") {
				t.Fatalf("the screen is\n%s", p.Screen.Text())
			}
		})
	}
}
