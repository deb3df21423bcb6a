package tui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

var update = flag.Bool("update", false, "rewrite the expected screens")

var sizes = []tui.Size{{Width: 100, Height: 30}, {Width: 60, Height: 20}, {Width: 40, Height: 12}, {Width: 200, Height: 60}}

// A screen is a story, and what a person does until it is seen.
type screen struct {
	name  string
	story func() []event.Body
	then  func(*tuitest.Program, *tuitest.Session)
}

// look waits until the question has the focus and is armed.
func look(p *tuitest.Program, s *tuitest.Session) { p.Wait(3 * time.Second) }

func question(q func() event.Question) func() []event.Body {
	return func() []event.Body { return append(working(), asked(q())...) }
}

func screens() []screen {
	return []screen{
		{"empty", func() []event.Body { return []event.Body{opened()} }, nil},
		{"working", streaming, func(p *tuitest.Program, s *tuitest.Session) { p.Type("also add a test for a tab after an escape") }},
		{"finished", finished, nil},
		{"held", question(editQuestion), func(p *tuitest.Program, s *tuitest.Session) { p.Type("wait") }},
		{"review", question(editQuestion), look},
		{"review-end", question(editQuestion), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(2 * time.Second)
			for range 9 {
				p.Keys("pgdown")
			}
			p.Wait(time.Second)
		}},
		{"confirm", question(commandQuestion), look},
		{"confirm-reason", question(commandQuestion), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(3 * time.Second)
			p.Keys("r")
			p.Wait(time.Second)
			p.Type("use the helper in internal/text instead")
		}},
		{"confirm-scopes", question(scopesQuestion), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(2 * time.Second)
			p.Keys("pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
			p.Wait(time.Second)
			p.Keys("s")
			p.Wait(time.Second)
		}},
		{"danger", question(dangerQuestion), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(2 * time.Second)
			p.Keys("pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
			p.Wait(time.Second)
			p.Send("k")
			p.Wait(50 * time.Millisecond)
		}},
		{"ask-user", question(userQuestion), func(p *tuitest.Program, s *tuitest.Session) { p.Wait(3 * time.Second); p.Keys("down") }},
		{"unknown", question(unknownQuestion), look},
		{"reading", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("shift+up", "up", "up", "enter")
		}},
		{"help", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("?") }},
		{"trouble", func() []event.Body {
			return append(working(),
				event.TodoChanged{Items: []event.TodoItem{{Text: "read the scanner", Status: "done"}, {Text: "fix literal()", Status: "active"}, {Text: "add a test", Status: "pending"}}},
				event.Notice{Severity: "warn", Key: "retry", Text: "model not reachable  127.0.0.1:11434 refused", Hint: "retry 3 of 5 in 8s"},
				event.Queued{Texts: []string{"then run the linter", "and commit"}},
				event.CallResult{Call: "8", Tool: "execute_command", Status: "blocked", Decision: "blocked", Title: "run rm -rf ~", Body: "Not done: the floor forbids it"},
				event.AuditHead{Size: 9, Head: "abc", Broken: "disk full"},
				event.LevelChanged{From: "always_ask", To: "never_ask", By: "user:tui"},
				event.TurnEnded{Turn: 12, Status: "error", Message: "the audit log takes nothing more"})
		}, nil},
		{"palette", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("ctrl+k"); p.Type("undo") }},
		{"palette-all", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("ctrl+k", "down", "down") }},
		{"sessions", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("ctrl+s", "down"); p.Wait(time.Second) }},
		{"sessions-name", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("ctrl+s")
			p.Wait(time.Second)
			p.Keys("n")
			p.Type(" again")
		}},
		{"models", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("f3", "down"); p.Wait(time.Second) }},
		{"self-test", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Type("/doctor")
			p.Keys("enter", "down", "down")
			p.Wait(time.Second)
		}},
		{"undo", finished, func(p *tuitest.Program, s *tuitest.Session) {
			s.On = undoPoints
			p.Keys("ctrl+z", "down", "down")
		}},
		{"undo-plan", finished, func(p *tuitest.Program, s *tuitest.Session) {
			s.On = undoPoints
			p.Keys("ctrl+z", "down", "enter")
		}},
		{"complete-command", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Type("/") }},
		{"complete-file", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Type("look at @sc"); p.Wait(time.Second) }},
		{"find", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("shift+up", "/")
			p.Type("counter")
			p.Keys("enter")
		}},
		{"plain-text", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("f2") }},
		{"world", world, nil},
		{"raise", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Type("/level never_ask")
			p.Keys("enter")
			p.Wait(time.Second)
		}},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s is another one (-want +got):\n%s", name, d)
	}
}

// TestScreens draws each screen at each size: program, renderer, gate,
// emulator.
func TestScreens(t *testing.T) {
	for _, sc := range screens() {
		for i, size := range sizes {
			if i > 1 && raceDetector {
				continue
			}
			name := fmt.Sprintf("%s-%dx%d", sc.name, size.Width, size.Height)
			t.Run(name, func(t *testing.T) {
				var got string
				tuitest.Bubble(t, func(t *testing.T) {
					story := sc.story()
					s := tuitest.NewSession(story[0])
					p := tuitest.Open(t, size.Width, size.Height, tui.Options{Session: s, Desk: testDesk()})
					s.Emit(story[1:]...)
					p.Wait(200 * time.Millisecond)
					if sc.then != nil {
						sc.then(p, s)
					}
					got = p.Screen.Styled()
					p.Quit()
				})
				golden(t, name, got)
			})
		}
	}
}

func TestStartScreen(t *testing.T) {
	for _, size := range sizes {
		story := startStory()
		tuitest.Play(t, size.Width, size.Height, tui.Options{Start: &story}, func(p *tuitest.Program) {
			golden(t, fmt.Sprintf("start-%dx%d", size.Width, size.Height), p.Screen.Styled())
		})
	}
}
