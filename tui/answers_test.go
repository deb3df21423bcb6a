package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

const ms = time.Millisecond

// put opens the front end and a question in it.
func put(t *testing.T, width, height int, q event.Question, f func(*tuitest.Program, *tuitest.Session)) {
	t.Helper()
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, width, height, tui.Options{Session: s})
		p.Wait(2 * time.Second)
		s.Emit(asked(q)...)
		f(p, s)
		p.Quit()
	})
}

func commands(s *tuitest.Session) string {
	var out []string
	for _, c := range s.Commands() {
		switch c := c.(type) {
		case event.Answer:
			out = append(out, fmt.Sprintf("answer %d %s%s%s%s", c.Choice, c.Scope, c.Reason, c.Text, c.Code))
		case event.Submit:
			out = append(out, "event.Submit{"+c.Text+"}")
		case event.Undo:
			word := "undo " + c.Call
			if c.Down {
				word += " down"
			}
			if c.Dry {
				word += " dry"
			}
			out = append(out, word)
		case event.SetLevel:
			out = append(out, "level "+c.Level)
		default:
			out = append(out, fmt.Sprintf("%T%v", c, c))
		}
	}
	return strings.Join(out, "; ")
}

// TestScripts is what a person does, and what the session is told.
func TestScripts(t *testing.T) {
	quiet := func(p *tuitest.Program) { p.Wait(3 * time.Second) }
	after := func(p *tuitest.Program) { p.Wait(time.Second) }
	pages := func(p *tuitest.Program) {
		for range 6 {
			p.Keys("pgdown")
		}
		after(p)
	}
	for _, c := range []struct {
		name string
		q    event.Question
		do   func(p *tuitest.Program)
		want string
		text string // in the composer afterwards
	}{
		{"allow", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("a"); after(p) }, "answer 1 ", ""},
		{"deny", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("x"); after(p) }, "answer 0 ", ""},
		{"reason", commandQuestion(), func(p *tuitest.Program) {
			quiet(p)
			p.Keys("r")
			after(p)
			p.Type("no, use go vet")
			p.Keys("enter")
		}, "answer 0 no, use go vet", ""},
		{"reason, thought better of", commandQuestion(), func(p *tuitest.Program) {
			quiet(p)
			p.Keys("r")
			after(p)
			p.Type("no")
			p.Keys("esc")
			after(p)
			p.Keys("a")
			after(p)
		}, "answer 1 ", ""},
		{"later, then by ctrl+p", commandQuestion(), func(p *tuitest.Program) {
			quiet(p)
			p.Keys("esc")
			p.Wait(10 * time.Second)
			p.Type("hm")
			p.Keys("ctrl+p")
			after(p)
			p.Keys("a")
			after(p)
		}, "answer 1 ", "hm"},
		{"not read to the end", longQuestion(60), func(p *tuitest.Program) { quiet(p); p.Keys("a"); after(p) }, "", ""},
		{"not read to the end, denied", longQuestion(60), func(p *tuitest.Program) { quiet(p); p.Keys("x"); after(p) }, "answer 0 ", ""},
		{"jumped to the end", longQuestion(90), func(p *tuitest.Program) { quiet(p); p.Keys("end"); after(p); p.Keys("a"); after(p) }, "", ""},
		{"read to the end", longQuestion(60), func(p *tuitest.Program) { quiet(p); pages(p); p.Keys("a"); after(p) }, "answer 1 ", ""},
		{"typing takes the press back", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Type("add a test"); quiet(p) }, "", "add a test"},
		{"other letters go to the message", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Type("wait"); quiet(p) }, "", "wait"},
		{"a paste goes to the message", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Send(termtest.Paste("a")); quiet(p) }, "", "a"},
		{"danger, the key does nothing", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("a"); quiet(p) }, "", ""},
		{"danger, the code", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("k", "w", "t", "z"); after(p) }, "answer 1 kwtz", ""},
		{"danger, slowly", dangerQuestion(), func(p *tuitest.Program) {
			quiet(p)
			for _, k := range []string{"k", "w", "t", "z"} {
				p.Keys(k)
				after(p)
			}
		}, "answer 1 kwtz", ""},
		{"danger, a wrong letter", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("k", "w", "z"); after(p) }, "", "kwz"},
		{"danger, all in one read", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Send("kwtz"); after(p) }, "", "kwtz"},
		{"danger, pasted", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Send(termtest.Paste("kwtz")); after(p) }, "", "kwtz"},
		{"danger, and on with typing", dangerQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("k", "w", "t", "z", "e"); after(p) }, "", ""},
		{"an option of the model", userQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("down"); after(p); p.Keys("a"); after(p) }, "answer 3 the next multiple of eight", ""},
		{"an answer in words", userQuestion(), func(p *tuitest.Program) {
			quiet(p)
			p.Keys("t")
			after(p)
			p.Type("eight")
			p.Keys("enter")
		}, "answer 3 eight", ""},
		{"an empty answer is none", userQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("t"); after(p); p.Keys("enter"); after(p) }, "", ""},
		{"no answer", userQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("x"); after(p) }, "answer 0 ", ""},
		{"a call of a crash", unknownQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("g"); after(p) }, "event.Settle{q4 again}", ""},
		{"a call of a crash, allow is no answer", unknownQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("a"); after(p) }, "", "a"},
		{"from now on", scopesQuestion(), func(p *tuitest.Program) {
			quiet(p)
			p.Keys("s")
			after(p)
			p.Keys("down")
			after(p)
			p.Keys("a")
			after(p)
		}, "answer 2 s2", ""},
		{"no more than what is offered", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("s"); after(p) }, "", "s"},
		{"stop", commandQuestion(), func(p *tuitest.Program) { quiet(p); p.Keys("ctrl+c"); after(p) }, "event.Cancel{}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, 100, 30, c.q, func(p *tuitest.Program, s *tuitest.Session) {
				s.Emit(event.TurnStarted{Turn: 1, Text: "go"})
				c.do(p)
				if got := commands(s); got != c.want {
					t.Errorf("the session was told %q, want %q\n%s", got, c.want, p.Screen.Text())
				}
				if c.text != "" && !strings.Contains(p.Screen.Text(), "\n> "+c.text+"\n") {
					t.Errorf("the message is not %q:\n%s", c.text, p.Screen.Text())
				}
			})
		})
	}
}

// TestAnswerIsComplete: everything that the core compares is there.
func TestAnswerIsComplete(t *testing.T) {
	q := commandQuestion()
	put(t, 100, 30, q, func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(3 * time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		want := []event.Answer{{Question: q.ID, Digest: q.Digest, LinesHash: event.HashLines(q.Lines), Choice: event.Once, By: "user:tui"}}
		if d := cmp.Diff(want, s.Answers(), cmpopts.IgnoreFields(event.Answer{}, "Millis")); d != "" {
			t.Error(d)
		}
		if m := s.Answers()[0].Millis; m < 2900 || m > 3100 {
			t.Errorf("it took %d ms", m)
		}
	})
}

// TestMuteTerminal: a terminal that answers no query does not stop the work,
// and the answer says so.
func TestMuteTerminal(t *testing.T) {
	put(t, 100, 30, commandQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
		p.Mute.Store(true)
		p.Wait(3 * time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if a := s.Answers(); len(a) != 1 || !a[0].Unfenced {
			t.Errorf("answers %v", a)
		}
	})
}

// TestWrongHash: lines that are not those that the core hashed can only be
// denied.
func TestWrongHash(t *testing.T) {
	for name, spoil := range map[string]func(*event.Question){
		"hash":      func(q *event.Question) { q.LinesHash = strings.Repeat("0", 64) },
		"line":      func(q *event.Question) { q.Lines[0].Text += "x" },
		"not shown": func(q *event.Question) { q.Lines[0].Text += "\u202e"; *q = hash(*q) },
		"none":      func(q *event.Question) { q.Lines = nil; *q = hash(*q) },
	} {
		t.Run(name, func(t *testing.T) {
			tuitest.Bubble(t, func(t *testing.T) {
				s := tuitest.NewSession(opened())
				p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
				q := hash(commandQuestion())
				q.Lines = append([]event.Line(nil), q.Lines...)
				spoil(&q)
				s.Emit(event.QuestionOpened{Question: q})
				p.Wait(5 * time.Second)
				p.Keys("a")
				p.Wait(2 * time.Second)
				if a := s.Answers(); len(a) != 0 {
					t.Errorf("answers %v", a)
				}
				p.Keys("x")
				p.Wait(time.Second)
				if a := s.Answers(); len(a) != 1 || a[0].Choice != event.Deny {
					t.Errorf("answers %v", a)
				}
				p.Quit()
			})
		})
	}
}

// TestTheEdgesOfArming: 0.4 s of quiet, then a key, then 0.25 s of quiet.
func TestTheEdgesOfArming(t *testing.T) {
	for _, c := range []struct {
		name   string
		before time.Duration // from the last key to the answer key
		after  time.Duration // from the answer key to the next one
		want   int
	}{
		{"early", 399 * ms, time.Hour, 0},
		{"armed", 401 * ms, time.Hour, 1},
		{"taken back", 800 * ms, 249 * ms, 0},
		{"not taken back", 800 * ms, 251 * ms, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, 100, 30, commandQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
				p.Wait(3 * time.Second)
				p.Send(termtest.Key("f5")) // does nothing, and counts as a key
				p.Wait(c.before)
				p.Send("a")
				p.Wait(c.after)
				p.Send(termtest.Key("f5"))
				p.Wait(2 * time.Second)
				if a := s.Answers(); len(a) != c.want {
					t.Errorf("%d answers, want %d\n%s", len(a), c.want, p.Screen.Text())
				}
			})
		})
	}
}

// TestSentReasonIsGone: what was sent with an answer is not left in the message,
// where it would go out once more in front of the next one. What was written
// and not sent, when the question closes by itself, is.
func TestSentReasonIsGone(t *testing.T) {
	for _, c := range []struct{ key, left string }{{"enter", ""}, {"", "not there"}} {
		put(t, 100, 30, commandQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(3 * time.Second)
			p.Keys("r")
			p.Wait(time.Second)
			p.Type("not there")
			if c.key != "" {
				p.Keys(c.key)
			}
			s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "answered", Said: "denied"})
			p.Wait(time.Second)
			if want := strings.TrimRight("\n> "+c.left, " ") + "\n"; !strings.Contains(p.Screen.Text(), want) {
				t.Errorf("after %q the message is not %q:\n%s", c.key, c.left, p.Screen.Text())
			}
		})
	}
}

// TestReputWhenNotTaken: an answer that the core did not take is no answer,
// and the person learns it.
func TestReputWhenNotTaken(t *testing.T) {
	put(t, 100, 30, commandQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(3 * time.Second)
		p.Keys("x")
		p.Wait(time.Second)
		if strings.Contains(p.Screen.Text(), "confirm  run") {
			t.Error("the question is still on the screen")
		}
		p.Wait(4 * time.Second)
		if !strings.Contains(p.Screen.Text(), "confirm  run") {
			t.Errorf("the question does not come back:\n%s", p.Screen.Text())
		}
	})
}

// TestRaisingTheLevelAsks: by a code, and lowering does not.
func TestRaisingTheLevelAsks(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened())
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		p.Type("/level never_ask")
		p.Keys("enter")
		p.Wait(time.Second)
		for _, k := range []string{"a", "enter", "space", "1"} {
			p.Keys(k)
			p.Wait(time.Second)
		}
		if got := commands(s); got != "" {
			t.Fatalf("raised by %q", got)
		}
		p.Keys("esc")
		p.Type("/level never_ask")
		p.Keys("enter")
		p.Wait(time.Second)
		p.Keys("d", "f", "g", "h")
		p.Wait(time.Second)
		s.Emit(event.LevelChanged{From: "always_ask", To: "never_ask"})
		p.Type("/level always_ask")
		p.Keys("enter")
		p.Wait(time.Second)
		if got := commands(s); got != "level never_ask; level always_ask" {
			t.Errorf("the session was told %q", got)
		}
		p.Quit()
	})
}
