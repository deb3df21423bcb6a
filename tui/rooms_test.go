package tui_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// desk is testDesk that notes what is done to the sessions.
func desk(done *[]string) app.Desk {
	d := testDesk()
	note := func(s string) error { *done = append(*done, s); return nil }
	d.Rename = func(id, title string) error { return note("name " + id + " " + title) }
	d.Archive = func(id string, a bool) error { return note(fmt.Sprintf("archive %s %v", id, a)) }
	d.Delete = func(id string) error { return note("delete " + id) }
	return d
}

// TestSessionsRoom: what the keys of the list do, and what ends the terminal
// with a request.
func TestSessionsRoom(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		want       string // done
		next       snap.Request
		says       string
	}{
		{name: "open", keys: "down enter", next: snap.Request{Open: "20261129-aa10c4f2e901"}},
		{name: "this one is open", keys: "home enter"},
		{name: "fork", keys: "down f", next: snap.Request{Fork: "20261129-aa10c4f2e901"}},
		{name: "new", keys: "+", next: snap.Request{New: true}},
		{name: "name", keys: "down n ctrl+u x y enter", want: "name 20261129-aa10c4f2e901 xy", says: "named: xy"},
		{name: "name nothing", keys: "down n ctrl+u enter"},
		{name: "no name", keys: "down n x esc"},
		{name: "archive", keys: "down z", want: "archive 20261129-aa10c4f2e901 true", says: "archived: try a table"},
		{name: "back", keys: "end z", want: "archive 20261120-5502bb10aa31 false"},
		{name: "not this one", keys: "home z", says: "this session is open"},
		{name: "another folder", keys: "end up up enter", next: snap.Request{Open: "20261119-0102bb10aa31", Root: "/home/you/src/site"}},
		{name: "fork of another folder", keys: "end up up f", next: snap.Request{Fork: "20261119-0102bb10aa31", Root: "/home/you/src/site"}},
		{name: "a folder that is gone", keys: "end up enter", says: "its folder is not there any more"},
		{name: "find what was said", keys: "/ l e x e m e s wait", says: "turn 3  pilot: the <U+202E>lexemes are kept"},
		{name: "open what was said", keys: "/ l e x e m e s wait enter", next: snap.Request{Open: "20261126-31b2a9f00d17"}},
		{name: "a search of two letters looks into nothing", keys: "/ l e wait", says: "release notes"},
		{name: "a search that finds nothing", keys: "/ z z z wait", says: "nothing fits the search"},
		{name: "find", keys: "/ s p e e d enter", next: snap.Request{Open: "20261126-31b2a9f00d17"}},
		{name: "delete asks", keys: "down delete", says: "delete a session"},
		{name: "delete is refused", keys: "down delete wait x wait", says: "sessions"},
		{name: "enter is no yes", keys: "down delete wait enter space a", says: "delete a session"},
		{name: "delete", keys: "down delete wait d wait f wait g wait h wait", want: "delete 20261129-aa10c4f2e901", says: "deleted: try a table"},
		{name: "never the open one", keys: "home delete", says: "cannot be deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var done []string
			tuitest.Bubble(t, func(t *testing.T) {
				s := tuitest.NewSession(opened())
				p := tuitest.Open(t, 100, 30, tui.Options{Session: s, Desk: desk(&done)})
				p.Keys("ctrl+s")
				for _, k := range strings.Fields(c.keys) {
					if k == "wait" {
						p.Wait(time.Second)
						continue
					}
					p.Keys(k)
				}
				text := p.Screen.Text()
				if !strings.Contains(text, c.says) {
					t.Errorf("%q is not said:\n%s", c.says, text)
				}
				if ended := p.Ended(); ended != (c.next != snap.Request{}) {
					t.Errorf("ended is %v", ended)
				}
				p.Quit()
				if p.Outcome().Next != c.next {
					t.Errorf("asks for %+v, want %+v", p.Outcome().Next, c.next)
				}
			})
			if got := strings.Join(done, ", "); got != c.want {
				t.Errorf("did %q, want %q", got, c.want)
			}
		})
	}
}

// TestForkFromATurn: the one of the entry that is chosen.
func TestForkFromATurn(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		story := append([]event.Body{opened(), event.TurnStarted{Turn: 1, Text: "one"}, event.TurnEnded{Turn: 1, Status: "done"}}, finished()[3:]...)
		p := tuitest.Open(t, 100, 30, tui.Options{Session: tuitest.NewSession(story...), Desk: testDesk()})
		p.Keys("shift+up", "home", "f")
		p.Quit()
		if got := p.Outcome().Next; got != (snap.Request{Fork: "20261129-1400-a1b2", Turn: 1}) {
			t.Errorf("asks for %+v", got)
		}
	})
}

// TestNothingIsLeftWhileATurnRuns: the turn would be cut off.
func TestNothingIsLeftWhileATurnRuns(t *testing.T) {
	s := tuitest.NewSession(working()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
		p.Keys("ctrl+s", "down", "enter")
		if p.Ended() || !strings.Contains(p.Screen.Text(), "a turn runs here") {
			t.Errorf("got\n%s", p.Screen.Text())
		}
	})
}

// TestUndoRoom: what is asked of the session.
func TestUndoRoom(t *testing.T) {
	for keys, want := range map[string]string{
		"":                "event.ListUndo{}",
		"down u":          "event.ListUndo{}; undo 4; event.ListUndo{}",
		"down U":          "event.ListUndo{}; undo 4 down; event.ListUndo{}",
		"down enter":      "event.ListUndo{}; undo 4 dry",
		"down enter u":    "event.ListUndo{}; undo 4 dry; undo 4; event.ListUndo{}",
		"down enter esc":  "event.ListUndo{}; undo 4 dry",
		"end u":           "event.ListUndo{}", // taken back already
		"a x y enter esc": "event.ListUndo{}; undo 9 dry",
	} {
		tuitest.Bubble(t, func(t *testing.T) {
			s := tuitest.NewSession(finished()...)
			s.On = undoPoints
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
			p.Keys(append([]string{"ctrl+z"}, strings.Fields(keys)...)...)
			if got := commands(s); got != want {
				t.Errorf("%q told the session %q, want %q", keys, got, want)
			}
			p.Quit()
		})
	}
}

// TestPalette does things by name, and says why it cannot.
func TestPalette(t *testing.T) {
	for typed, want := range map[string][2]string{
		"always":        {"", "is in force"},
		"cancel":        {"", "nothing runs"},
		"theme mono":    {"", "fix tab handling"},
		"take back":     {"event.ListUndo{}", "undo  what this session changed"},
		"level never":   {"", "raise the level"},
		"name this":     {"", "> /rename"},
		"plain text":    {"", "the conversation"},
		"no such thing": {"", "nothing fits the search"},
	} {
		tuitest.Bubble(t, func(t *testing.T) {
			s := tuitest.NewSession(finished()...)
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s, Desk: testDesk()})
			p.Keys("ctrl+k")
			p.Type(typed)
			p.Keys("enter")
			if got := commands(s); got != want[0] || !strings.Contains(p.Screen.Text(), want[1]) {
				t.Errorf("%q told the session %q:\n%s", typed, got, p.Screen.Text())
			}
			p.Quit()
		})
	}
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"/und", "tab", "> /undo"},
		{"/re", "tab", "> /rename"},
		{"look at @scan", "tab", "> look at @scan/scan.go"},
		{"@tok", "enter", "> @scan/token.go"},
		{"@scan", "down tab", "> @scan/scan_test.go"},
		{"@sclmns", "tab", "> @sclmns"},
		{"@intcol", "tab", "> @internal/text/columns.go"},
		{"@scan", "esc tab", "> @scan"},
		{"/usr/bin/env", "tab", "> /usr/bin/env"},
		{"mail me@scan", "tab", "> mail me@scan"},
	} {
		s := tuitest.NewSession(opened())
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
			p.Type(c.typed)
			p.Keys(strings.Fields(c.keys)...)
			if !strings.Contains(p.Screen.Text(), "\n"+c.want+"\n") || len(s.Commands()) != 0 {
				t.Errorf("%+v told the session %q:\n%s", c, commands(s), p.Screen.Text())
			}
		})
	}
}

// TestWhileItWorks: enter gives the running turn a message, tab queues one.
func TestWhileItWorks(t *testing.T) {
	s := tuitest.NewSession(working()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		p.Type("now")
		p.Keys("enter")
		p.Type("later")
		p.Keys("tab")
		if got := commands(s); got != "event.Interject{now}; event.Submit{later}" {
			t.Errorf("told %q", got)
		}
	})
}

// TestWordsOfThePerson: what the session offers completes, and is sent as it
// was typed.
func TestWordsOfThePerson(t *testing.T) {
	s := tuitest.NewSession(opened())
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		s.Emit(event.Offered{Commands: []event.SlashCommand{{Name: "tidy", Does: "tidy up", From: "user"}}})
		p.Type("/ti")
		p.Keys("tab")
		p.Type("all")
		p.Keys("enter")
		if got := commands(s); got != "event.Submit{/tidy all}" {
			t.Errorf("told %q:\n%s", got, p.Screen.Text())
		}
	})
}

// TestFindInTheConversation opens what is folded, and goes on upwards.
func TestFindInTheConversation(t *testing.T) {
	s := tuitest.NewSession(append(finished(), event.CallResult{Call: "5", Tool: "read_file", Status: "ok", Title: "read a.txt", Body: "one\ntwo\nNEEDLE in it\n"})...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		p.Keys("shift+up", "/")
		p.Type("needle")
		p.Keys("enter")
		if !strings.Contains(p.Screen.Text(), "NEEDLE in it") {
			t.Errorf("the hit is not on the screen:\n%s", p.Screen.Text())
		}
		p.Keys("/")
		p.Type("not there")
		p.Keys("enter")
		if !strings.Contains(p.Screen.Text(), "not found: not there") {
			t.Errorf("nothing is said:\n%s", p.Screen.Text())
		}
	})
}

// TestCopyGivesSource: by OSC 52, and what is said does not claim more.
func TestCopyGivesSource(t *testing.T) {
	for _, tmux := range []bool{false, true} {
		env := []string{"TERM=xterm-256color"}
		if tmux {
			env = append(env, "TMUX=/tmp/tmux,1,0")
		}
		var sent []byte
		s := tuitest.NewSession(append(finished(), event.Reply{Text: "a **bold** word"})...)
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Env: env}, func(p *tuitest.Program) {
			p.Screen.Record(func(b []byte) { sent = append(sent, b...) })
			p.Keys("shift+up", "y")
			if !strings.Contains(p.Screen.Text(), "sent to the terminal clipboard") {
				t.Errorf("nothing is said:\n%s", p.Screen.Text())
			}
		})
		seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("a **bold** word")) + "\x07"
		if !strings.Contains(string(sent), seq) || strings.Contains(string(sent), "\x1bPtmux;") != tmux {
			t.Errorf("tmux %v: %q", tmux, sent)
		}
	}
}

// TestNotifications: off, and only while the person looks elsewhere.
func TestNotifications(t *testing.T) {
	for _, c := range []struct {
		how   tui.Notify
		keys  string
		bells int
		osc   int
	}{{tui.Never, "blur", 0, 0}, {tui.Bell, "blur", 2, 0}, {tui.Bell, "focus", 0, 0}, {tui.Desktop, "blur", 0, 2}} {
		s := tuitest.NewSession(opened())
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Notify: c.how}, func(p *tuitest.Program) {
			p.Keys(c.keys)
			s.Emit(event.TurnStarted{Turn: 1, Text: "x"})
			p.Wait(time.Second)
			s.Emit(asked(commandQuestion())...)
			p.Wait(time.Second)
			s.Emit(event.QuestionClosed{ID: "7f21aa03"}, event.TurnEnded{Turn: 1, Status: "done"})
			p.Wait(time.Second)
			if seen := p.Screen.Seen(); seen.Bells != c.bells || len(seen.Osc) != c.osc {
				t.Errorf("%+v did %+v", c, seen)
			}
		})
	}
}

// TestKeysCanBeChanged, and a bad table says so before anything is drawn.
func TestKeysCanBeChanged(t *testing.T) {
	s := tuitest.NewSession(finished()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Keys: map[string]string{"palette": "f5", "undo": "ctrl+k"}}, func(p *tuitest.Program) {
		p.Keys("f5")
		if !strings.Contains(p.Screen.Text(), "what to do") || !strings.Contains(p.Screen.Text(), "ctrl+k") {
			t.Errorf("got\n%s", p.Screen.Text())
		}
		p.Send(termtest.Key("esc"))
		p.Wait(time.Second)
		p.Keys("ctrl+k")
		if !strings.Contains(p.Screen.Text(), "undo  what") {
			t.Errorf("got\n%s", p.Screen.Text())
		}
	})
}

// TestAModelThatNoListKnows is asked for by its name, as /model does.
func TestAModelThatNoListKnows(t *testing.T) {
	for typed, want := range map[string]string{
		"qwen3:8b": "event.SetModel{ollama qwen3:8b}", "openai-chat my-own:1": "event.SetModel{openai-chat my-own:1}", "my-own:1": "event.SetModel{ my-own:1}",
	} {
		s := tuitest.NewSession(opened())
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
			p.Keys("f3")
			p.Type(typed)
			p.Keys("enter")
			if got := commands(s); got != want {
				t.Errorf("%s: told %q, want %q\n%s", typed, got, want, p.Screen.Text())
			}
		})
	}
}

// TestMentionsAreOfNow: a mention shows names as soon as it begins, and the
// next one those that have come since.
func TestMentionsAreOfNow(t *testing.T) {
	var made atomic.Bool
	desk := testDesk()
	desk.Files = func() ([]string, error) {
		if made.Load() {
			return []string{"a.go", "b_of_the_last_turn.go"}, nil
		}
		return []string{"a.go"}, nil
	}
	s := tuitest.NewSession(opened())
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: desk}, func(p *tuitest.Program) {
		p.Type("@")
		if !strings.Contains(p.Screen.Text(), " > a.go") {
			t.Errorf("nothing is offered for a bare @:\n%s", p.Screen.Text())
		}
		p.Keys("tab")
		made.Store(true)
		p.Type(" @")
		p.Type("b_of")
		if !strings.Contains(p.Screen.Text(), " > b_of_the_last_turn.go") {
			t.Errorf("a new file is not offered:\n%s", p.Screen.Text())
		}
	})
}
