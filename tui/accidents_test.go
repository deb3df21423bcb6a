package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// accidents are what happens to a terminal without anybody meaning an answer.
// Each begins at some delay after the question was opened.
func accidents() map[string]func(*tuitest.Program, *tuitest.Session) {
	keys := func(names ...string) func(*tuitest.Program, *tuitest.Session) {
		return func(p *tuitest.Program, _ *tuitest.Session) {
			for _, n := range names {
				p.Send(termtest.Key(n))
				p.Wait(300 * ms)
			}
		}
	}
	bytes := func(parts ...string) func(*tuitest.Program, *tuitest.Session) {
		return func(p *tuitest.Program, _ *tuitest.Session) {
			for _, s := range parts {
				p.Send(s)
				p.Wait(20 * ms)
			}
		}
	}
	type program = tuitest.Program
	type session = tuitest.Session
	return map[string]func(*program, *session){
		"enter":                 keys("enter", "enter", "enter"),
		"space":                 keys("space", "space"),
		"digits":                keys("1", "2", "y", "0"),
		"arrows":                keys("up", "down", "left", "right", "tab", "home", "end", "pgdown"),
		"function keys":         keys("f1", "f2", "f5", "delete", "backspace"),
		"escape":                keys("esc", "esc"),
		"control keys":          keys("ctrl+a", "ctrl+x", "ctrl+r", "ctrl+s"),
		"capital letters":       keys("A", "X", "R"),
		"alt":                   bytes("\x1ba", "\x1bx"),
		"modified by kitty":     bytes("\x1b[97;5u", "\x1b[97;9u", "\x1b[97;3u"),
		"typing":                func(p *program, _ *session) { p.Type("add another axis, relax") },
		"typing that ends in a": func(p *program, _ *session) { p.Type("look at this data") },
		"a burst":               bytes("aaaa", "axrs", "ax"),
		"a word and enter":      bytes("a\r", "allow\r"),
		"paste":                 bytes(termtest.Paste("a"), termtest.Paste("x"), termtest.Paste("a\n")),
		"paste with a smuggled end": bytes(
			"\x1b[200~harmless\x1b[201~a", "\x1b[200~x\x1b[201~a\x1b[201~", "\x1b[200~", "text", "\x1b[201~", "a", "\x1b[201~"),
		"paste with its end cut off": bytes("\x1b[200~a", "a", "x"),
		"key repeat": func(p *program, _ *session) {
			for range 60 {
				p.Send("a")
				p.Wait(33 * ms)
			}
			p.Send("\x1b[A") // the key that comes after letting go
		},
		"answers of the terminal that decode as keys": bytes(
			"\x1b[1;2R", "\x1b[?6", "2;1;a", "\x1b[", "a", "\x1bP>|tmux a", "\x1b\\", "\x1bO", "a"),
		"a click":           bytes("\x1b[<0;10;10M", "\x1b[<0;10;10m", "\x1b[M !!"),
		"a click to focus":  bytes("\x1b[I", "\x1b[<0;3;28M", "a", "\x1b[O", "\x1b[I", "a"),
		"focus, then a key": bytes("\x1b[I", "a"),
		"resize, then a key": func(p *program, _ *session) {
			p.Resize(90, 25)
			p.Wait(100 * ms)
			p.Send("a")
			p.Wait(100 * ms)
			p.Resize(100, 30)
		},
		"another question, then a key": func(p *program, s *session) {
			q := commandQuestion()
			q.ID, q.Call, q.Title = "00000002", "q9", "run rm -rf build"
			s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "revised"})
			s.Emit(asked(q)...)
			p.Send("a")
			p.Wait(300 * ms)
			p.Send("\x1b[A")
		},
		"the question goes while the key is held back": func(p *program, s *session) {
			p.Send("a")
			p.Wait(100 * ms)
			s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "timeout"})
		},
		"the question is swapped while the key is held back": func(p *program, s *session) {
			q := commandQuestion()
			q.ID, q.Title = "00000003", "run something else"
			p.Send("a")
			p.Wait(200 * ms)
			s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "revised"})
			s.Emit(asked(q)...)
		},
		"a cat on the keyboard": func(p *program, _ *session) {
			for i := range 40 {
				p.Send(string("axrstdgl;'\\]"[i%12]))
				p.Wait(time.Duration(i*7%90) * ms)
			}
			p.Send("\x1b[A")
		},
	}
}

// TestAccidents: no accident, at no time, is an answer.
func TestAccidents(t *testing.T) {
	delays := []int{0, 1, 20, 50, 100, 200, 250, 300, 390, 400, 410, 500, 650, 800, 1000, 1300, 1500, 1600, 1900, 2000}
	if testing.Short() || raceDetector {
		delays = []int{0, 400, 1500, 2000} // the race detector needs not all times
	}
	for name, accident := range accidents() {
		t.Run(name, func(t *testing.T) {
			for _, delay := range delays {
				for _, busy := range []bool{false, true} {
					tuitest.Bubble(t, func(t *testing.T) {
						s := tuitest.NewSession(opened())
						p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
						if busy {
							p.Send("\x1b[A") // the keyboard was used just now: the question waits
						} else {
							p.Wait(5 * time.Second)
						}
						s.Emit(asked(commandQuestion())...)
						p.Wait(time.Duration(delay) * ms)
						accident(p, s)
						p.Wait(3 * time.Second)
						for _, c := range s.Commands() {
							switch c.(type) {
							case event.Answer, event.SetLevel, event.Settle:
								t.Errorf("at %d ms, busy %v: the session was told %#v\n%s", delay, busy, c, p.Screen.Text())
							}
						}
						p.Quit()
					})
				}
			}
		})
	}
}

// TestAccidentsOfTheOtherKinds: the same for questions that have other keys,
// at the moments that matter.
func TestAccidentsOfTheOtherKinds(t *testing.T) {
	moments := []int{0, 450, 2000}
	if testing.Short() || raceDetector {
		moments = moments[2:]
	}
	for name, q := range map[string]event.Question{
		"edit": editQuestion(), "danger": dangerQuestion(), "user": userQuestion(), "unknown": unknownQuestion(), "scopes": scopesQuestion(), "long": longQuestion(80),
	} {
		t.Run(name, func(t *testing.T) {
			for accident, do := range accidents() {
				if strings.Contains(accident, "question") {
					continue // they name the other one
				}
				for _, delay := range moments {
					put(t, 100, 30, q, func(p *tuitest.Program, s *tuitest.Session) {
						p.Wait(time.Duration(delay) * ms)
						do(p, s)
						p.Wait(3 * time.Second)
						for _, c := range s.Commands() {
							switch c := c.(type) {
							case event.Answer, event.SetLevel, event.Settle:
								t.Errorf("%s at %d ms: the session was told %#v\n%s", accident, delay, c, p.Screen.Text())
							}
						}
					})
				}
			}
		})
	}
}

// TestLateKeysOfABusyProgram: keys that were typed while the program had no
// time are those of before.
func TestLateKeysOfABusyProgram(t *testing.T) {
	for _, gap := range []time.Duration{0, 100 * ms, 2 * time.Second} {
		t.Run(fmt.Sprint(gap), func(t *testing.T) {
			tuitest.Bubble(t, func(t *testing.T) {
				s := tuitest.NewSession(opened())
				p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
				p.Wait(5 * time.Second)
				go func() { time.Sleep(gap); s.Emit(asked(commandQuestion())...) }()
				p.Send("a") // one key, just before the question comes
				p.Wait(5 * time.Second)
				if a := s.Answers(); len(a) != 0 {
					t.Errorf("answers %v", a)
				}
				p.Quit()
			})
		})
	}
}
