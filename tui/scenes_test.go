package tui_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// A screen is a story, and what a person does until it is seen.
type screen struct {
	scene
	with func(*tui.Options) // besides the session and the desk; nil for nothing
}

type scene struct {
	name  string
	story func() []event.Body // nil: there is no session yet
	then  func(*tuitest.Program, *tuitest.Session)
}

// show runs the screen at a size, until f has looked at it.
func (sc screen) show(t *testing.T, size tui.Size, f func(*tuitest.Program)) {
	t.Helper()
	tuitest.Bubble(t, func(t *testing.T) {
		o := tui.Options{Desk: testDesk(), Theme: "dark"}
		if sc.with != nil {
			sc.with(&o)
		}
		var s *tuitest.Session
		var story []event.Body
		if sc.story == nil {
			start := startStory()
			o.Start = &start
		} else {
			story = sc.story()
			s = tuitest.NewSession(story[0])
			o.Session = s
		}
		p := tuitest.Open(t, size.Width, size.Height, o)
		if s != nil {
			s.Emit(story[1:]...)
			p.Wait(200 * time.Millisecond)
		}
		if sc.then != nil {
			sc.then(p, s)
		}
		f(p)
		p.Quit()
	})
}

// screens are all that a person sees in full mode.
func screens() (out []screen) {
	for _, sc := range slices.Concat(talkScenes(), askScenes(), listScenes()) {
		out = append(out, screen{scene: sc})
	}
	return slices.Concat(out, logScreens(), bareScreens())
}

// look waits until the question has the focus and is armed.
func look(p *tuitest.Program, s *tuitest.Session) { p.Wait(3 * time.Second) }

func question(q func() event.Question) func() []event.Body {
	return func() []event.Body { return append(working(), asked(q())...) }
}

// keys presses them, and waits for what comes of it.
func keys(names ...string) func(*tuitest.Program, *tuitest.Session) {
	return func(p *tuitest.Program, _ *tuitest.Session) {
		p.Keys(names...)
		p.Wait(time.Second)
	}
}

// typed enters a line, then presses keys.
func typed(line string, names ...string) func(*tuitest.Program, *tuitest.Session) {
	return func(p *tuitest.Program, _ *tuitest.Session) {
		p.Type(line)
		p.Keys(append([]string{"enter"}, names...)...)
		p.Wait(time.Second)
	}
}

// read goes through a question to its end, until it is armed, then presses keys.
func read(names ...string) func(*tuitest.Program, *tuitest.Session) {
	return func(p *tuitest.Program, _ *tuitest.Session) {
		p.Wait(2 * time.Second)
		p.Keys("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		p.Wait(time.Second)
		p.Keys(names...)
		p.Wait(time.Second)
	}
}

// talkScenes are the conversation and what stands around it.
func talkScenes() []scene {
	return []scene{
		{"start", nil, nil},
		{"empty", func() []event.Body { return []event.Body{opened()} }, nil},
		{"working", streaming, func(p *tuitest.Program, s *tuitest.Session) { p.Type("also add a test for a tab after an escape") }},
		{"finished", finished, nil},
		{"answer", answered, keys("shift+up", "up", "enter")},
		{"trouble", troubled, nil},
		{"world", world, nil},
		{"held", question(editQuestion), func(p *tuitest.Program, s *tuitest.Session) { p.Type("wait") }},
		{"reading", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("shift+up", "up", "up", "enter")
		}},
		{"find", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("shift+up", "/")
			p.Type("counter")
			p.Keys("enter")
		}},
		{"complete-command", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Type("/") }},
		{"complete-file", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Type("look at @sc"); p.Wait(time.Second) }},
	}
}

// askScenes are the questions.
func askScenes() []scene {
	return []scene{
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
		{"form", question(func() event.Question { return formQuestion(allFields()...) }), look},
		{"unknown", question(unknownQuestion), look},
		{"raise", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Type("/level never_ask")
			p.Keys("enter")
			p.Wait(time.Second)
		}},
		{"review-left-out", question(func() event.Question { return proposal("q", 3, 6) }), look},
		{"review-long-lines", question(wideQuestion), read("home", "w", "right")},
		{"review-find", question(wideQuestion), read("/", "l", "i", "n", "e", "space", "5", "enter")},
		{"review-not-found", question(wideQuestion), read("/", "q", "q", "enter")},
		{"review-finding", question(wideQuestion), read("/", "f", "o", "o")},
		{"review-range", question(func() event.Question { return proposal("q") }), read("home", "[", "]", "V", "down", "down")},
	}
}

// listScenes are the lists and texts that lie above the conversation.
func listScenes() []scene {
	return []scene{
		{"help", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("?") }},
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
		{"undo-conflict", finished, func(p *tuitest.Program, s *tuitest.Session) {
			s.On = undoPoints
			p.Keys("ctrl+z", "down", "down", "c")
		}},
		{"undo-resolve", finished, func(p *tuitest.Program, s *tuitest.Session) {
			s.On = undoPoints
			p.Keys("ctrl+z", "down", "down", "c", "o")
			p.Wait(time.Second)
		}},
		{"plain-text", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("f2") }},
		{"jobs", world, typed("/jobs")},
		{"jobs-none", finished, typed("/jobs")},
		{"remembered", finished, typed("/policy", "down")},
		{"one-text", finished, keys("shift+up", "up", "o")},
		{"undo-taken", finished, func(p *tuitest.Program, s *tuitest.Session) {
			s.On = undoPoints
			p.Keys("ctrl+z", "end", "u")
		}},
		{"palette-nothing", finished, func(p *tuitest.Program, s *tuitest.Session) { p.Keys("ctrl+k"); p.Type("no such thing") }},
		{"what-if", finished, func(p *tuitest.Program, s *tuitest.Session) {
			p.Keys("ctrl+k")
			p.Type("what a rule")
			p.Keys("enter")
			p.Wait(time.Second)
		}},
		{"undo-all", finished, keys("ctrl+k", "e", "v", "e", "r", "y", "t", "h", "i", "n", "g", "enter")},
		{"sessions-find", finished, keys("ctrl+s", "/", "t", "a", "b")},
		{"sessions-delete", finished, keys("ctrl+s", "down", "delete")},
	}
}

// logScreens are the view of the audit log.
func logScreens() (out []screen) {
	for _, sc := range []struct {
		name, broken string
		then         func(*tuitest.Program, *tuitest.Session)
	}{
		{"activity", "", keys("ctrl+g")},
		{"activity-category", "", keys("ctrl+g", "c", "t")},
		{"activity-find", "", keys("ctrl+g", "/", "s", "c", "a", "n")},
		{"activity-none", "", keys("ctrl+g", "/", "q", "q", "enter")},
		{"activity-record", "", keys("ctrl+g", "down", "up", "up", "enter")},
		{"activity-why", "", keys("ctrl+g", "up", "w")},
		{"activity-verified", "", keys("ctrl+g", "v", "x")},
		{"activity-broken", "record #12: chain: the hash before it is another one", keys("ctrl+g", "x")},
	} {
		out = append(out, screen{scene{sc.name, finished, sc.then}, func(o *tui.Options) {
			log := newLog()
			log.broken = sc.broken
			o.Log = log
		}})
	}
	return out
}

// bareScreens are lists with nothing in them, and what is not there at all.
func bareScreens() (out []screen) {
	nothing := func(o *tui.Options) {
		o.Desk.Sessions = func() ([]snap.SessionRow, error) { return nil, nil }
		o.Desk.Models = func() ([]snap.ModelRow, error) { return nil, nil }
		o.Desk.Rules = func() ([]snap.RuleRow, error) { return nil, nil }
	}
	empty := func() []event.Body { return []event.Body{opened()} }
	for _, sc := range []scene{
		{"sessions-none", empty, keys("ctrl+s")}, {"models-none", empty, keys("f3")}, {"remembered-none", empty, typed("/policy")}, {"undo-none", empty, keys("ctrl+z")},
		{"no-log", empty, keys("ctrl+g")},
	} {
		out = append(out, screen{sc, nothing})
	}
	return out
}

// inlineScreens are what differs below the shell's lines: what was said stands
// above, and lists and questions take the screen's place.
func inlineScreens() (out []screen) {
	for _, sc := range slices.Concat(talkScenes(), askScenes(), listScenes()) {
		switch sc.name {
		case "empty", "working", "finished", "world", "review", "confirm", "undo", "sessions", "jobs", "palette", "complete-command", "find":
			sc.name = "inline-" + sc.name
			out = append(out, screen{sc, func(o *tui.Options) { o.Mode = tui.Inline }})
		}
	}
	return out
}

// answered is a turn with an answer of many parts, and what was thought before it.
func answered() []event.Body {
	return []event.Body{
		opened(), event.TurnStarted{Turn: 1, Text: "How are columns counted?"},
		event.Reply{Reasoning: "Look at the scanner.\nThen at its tests.", Text: "# Columns\n\nA tab is *one* column, as **every** other character.\n\n> The old rule was eight.\n\n1. `scan.go` counts\n2. `token.go` keeps\n   - the first\n   - the last\n\n```go\n// width is in cells.\nconst width = 8\nvar name = \"tab\"\nreturn width\n```\n"},
		event.TurnEnded{Turn: 1, Status: "done"},
	}
}

// troubled is a session in which nearly everything goes wrong.
func troubled() []event.Body {
	return append(working(),
		event.TodoChanged{Items: []event.TodoItem{{Text: "read the scanner", Status: "done"}, {Text: "fix literal()", Status: "active"}, {Text: "add a test", Status: "pending"}}},
		event.Notice{Severity: "warn", Key: "model", Text: "the model of this session cannot be changed", Hint: "start again with --provider and --model"},
		event.Queued{Texts: []string{"then run the linter", "and commit"}},
		event.CallResult{Call: "8", Tool: "execute_command", Status: "blocked", Decision: "blocked", Title: "run rm -rf ~", Body: "Not done: the floor forbids it"},
		event.AuditHead{Size: 9, Head: "abc", Broken: "disk full"},
		event.LevelChanged{From: "always_ask", To: "never_ask", By: "user:tui"},
		event.TurnEnded{Turn: 12, Status: "error", Message: "the audit log takes nothing more"})
}
