package tui_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// corpus is what is hard to lay out: wide, combining, joined, unbroken.
var corpus = []string{
	"日本語のテキストは幅が二倍になります。折り返しの位置に注意してください。",
	"한국어 텍스트와 English mixed 텍스트, 그리고 아주 긴 단어들이 있습니다.",
	"中文文本没有空格所以必须在任何地方断开这一行直到屏幕的末尾为止。",
	"e\u0301clair cafe\u0301 nai\u0308ve, decomposed all the way",
	"👩‍⚕️ emoji 👍🏽 and flags 🇩🇪🇯🇵 and ❤️ in one line",
	"ไทยภาษาไทยไม่มีช่องว่าง",
	"a_very_long_identifier_without_any_blank_that_must_be_broken_somewhere_in_the_middle_of_it",
	"bidi \u202eevil\u202c and zero\u200bwidth",
	"`code 日本` and **強調** and [リンク](https://例え.jp/日本)",
}

func corpusStory(r *rand.Rand, n int) []event.Body {
	pick := func() string { return corpus[r.IntN(len(corpus))] }
	out := []event.Body{opened(), event.Renamed{Title: pick()}}
	for i := range n {
		id := fmt.Sprint("c", i)
		out = append(out,
			event.TurnStarted{Turn: i + 1, Text: pick()},
			event.Reply{Text: pick() + "\n\n- " + pick() + "\n- " + pick() + "\n\n```\n" + pick() + "\n```\n", Reasoning: pick()},
			event.CallStarted{Call: id, Tool: "execute_command", Title: pick()},
			event.CallResult{Call: id, Tool: "execute_command", Title: pick(), Status: "ok", Exit: num(i % 2), Body: pick() + "\n" + pick() + ": error\n"},
			event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	return out
}

// TestResizes: after any sequence of sizes the screen, its styles and the
// cursor are those of a program that began at the last size.
func TestResizes(t *testing.T) {
	sequences, steps := 25, 20
	if testing.Short() || raceDetector {
		sequences = 4
	}
	for seq := range sequences {
		r := rand.New(rand.NewPCG(uint64(seq), 7))
		story := corpusStory(r, 6)
		draft := corpus[r.IntN(len(corpus))]
		size := func() (int, int) { return 1 + r.IntN(130), 1 + r.IntN(45) }
		mode := tui.Full
		tuitest.Bubble(t, func(t *testing.T) {
			w, h := size()
			live := tuitest.Open(t, w, h, tui.Options{Session: tuitest.NewSession(story...), Mode: mode})
			live.Send(termtest.Paste(draft))
			for step := range steps {
				w, h = size()
				live.Resize(w, h)
				live.Wait(100 * time.Millisecond)
				fresh := tuitest.Open(t, w, h, tui.Options{Session: tuitest.NewSession(story...), Mode: mode})
				fresh.Send(termtest.Paste(draft))
				fresh.Wait(100 * time.Millisecond)
				if d := cmp.Diff(fresh.Screen.Styled(), live.Screen.Styled()); d != "" {
					t.Errorf("sequence %d, step %d, %dx%d (-fresh +resized):\n%s", seq, step, w, h, d)
				}
				fresh.Quit()
				if t.Failed() {
					break
				}
			}
			live.Quit()
		})
		if t.Failed() {
			return
		}
	}
}

// seen is the screen, without the place of a cursor that is hidden.
func seen(p *tuitest.Program) string {
	return regexp.MustCompile(`cursor \d+,\d+ shown false`).ReplaceAllString(p.Screen.Styled(), "no cursor")
}

// TestScreensSurviveResizes: the same of every screen that tests draw, with what
// a person did on the way to it. Where it is his place in a text, or what he has
// seen of it, that makes the screen, it is back when the size is; of inline mode
// what is below the terminal's own rows is compared.
func TestScreensSurviveResizes(t *testing.T) {
	steps := 12
	if testing.Short() || raceDetector {
		steps = 1 // with each screen, and each time other sizes
	}
	for i, sc := range append(screens(), inlineScreens()...) {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		look := seen
		if strings.HasPrefix(sc.name, "inline-") {
			look = foot
		}
		type state struct {
			screen string
			after  time.Duration
		}
		resized := map[tui.Size]state{}
		sc.show(t, sizes[0], func(p *tuitest.Program) {
			p.Wait(time.Second)
			first := look(p)
			for n := range steps {
				size := tui.Size{Width: 1 + r.IntN(130), Height: 1 + r.IntN(45)}
				p.Resize(size.Width, size.Height)
				p.Wait(50 * ms)
				resized[size] = state{look(p), time.Second + time.Duration(n+1)*100*ms} // Resize waits too
			}
			if sc.name == "review-finding" { // what is around the cursor may be another part
				clear(resized)
			}
			if placed(sc.name) && sc.name != "review-finding" {
				clear(resized)
				p.Resize(sizes[0].Width, sizes[0].Height)
				p.Wait(time.Second)
				if d := cmp.Diff(first, look(p)); d != "" {
					t.Errorf("%s is not back after %d resizes (-first +now):\n%s", sc.name, steps, d)
				}
			}
		})
		for size, live := range resized {
			sc.show(t, size, func(p *tuitest.Program) {
				p.Wait(live.after)
				if d := cmp.Diff(look(p), live.screen); d != "" {
					t.Errorf("%s at %dx%d (-fresh +resized):\n%s", sc.name, size.Width, size.Height, d)
				}
			})
		}
	}
}

// placed says that a screen shows a place in a text, or what was seen of one.
func placed(name string) bool {
	name = strings.TrimPrefix(name, "inline-")
	for _, p := range []string{"answer", "find", "reading", "what-if", "confirm", "danger", "review", "ask-user", "unknown", "raise", "form", "undo-all", "undo-resolve", "sessions-delete", "plain-text", "one-text"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// foot is the screen from the message on, without the row of the cursor.
func foot(p *tuitest.Program) string {
	rows := strings.Split(strings.TrimRight(p.Screen.Text(), "\n"), "\n")
	for i := max(0, len(rows)-8); i < len(rows); i++ {
		if rows[i] != "" && strings.Trim(rows[i], "-") == "" {
			return strings.Join(rows[i:], "\n")
		}
	}
	return rows[len(rows)-1]
}

// TestReadingSurvivesResizes: what was scrolled to stays on the screen.
func TestReadingSurvivesResizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tuitest.Bubble(t, func(t *testing.T) {
		p := tuitest.Open(t, 80, 24, tui.Options{Session: tuitest.NewSession(corpusStory(r, 40)...)})
		p.Keys("pgup", "pgup", "pgup", "home")
		for range 40 {
			w, h := 30+r.IntN(100), 14+r.IntN(30)
			p.Resize(w, h)
			if text := p.Screen.Text(); !strings.Contains(text, "you  >") {
				t.Errorf("%dx%d: the first entry is gone:\n%s", w, h, text)
				break
			}
		}
		p.Quit()
	})
}
