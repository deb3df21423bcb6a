package transcript

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func plain(lines []view.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(view.Plain(l), " ")
	}
	return out
}

func session(n int) []*snap.Item {
	s := &snap.State{}
	apply := func(b event.Body) { s.Apply(event.Event{Seq: s.Seq + 1, Body: b}) }
	for i := range n {
		apply(event.TurnStarted{Turn: i, Text: fmt.Sprint("turn ", i, strings.Repeat(" word", i%40))})
		apply(event.Reply{Text: fmt.Sprint("answer ", i, "\n\n- a\n- b\n", strings.Repeat("more words ", i%30))})
		apply(event.CallResult{Call: fmt.Sprint(i), Tool: "grep", Status: "ok", Title: "x", Body: strings.Repeat("line\n", i%5)})
	}
	return s.Talk.Items
}

// TestScrolling moves at random and compares with all lines laid out at once.
func TestScrolling(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	now := time.Now()
	for range 30 {
		items := session(1 + r.IntN(30))
		width := 30 + r.IntN(60)
		height := 3 + r.IntN(20)
		all := plain((&Room{}).View(items, width, 10_000, false, now))
		for len(all) > 0 && all[len(all)-1] == "" {
			all = all[:len(all)-1]
		}
		last := max(0, len(all)-height)
		var room Room
		top := last
		for range 200 {
			got := plain(room.View(items, width, height, false, now))
			want := append([]string(nil), all[top:min(len(all), top+height)]...)
			for len(want) < height {
				want = append(want, "")
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%dx%d at line %d of %d:\n%s\nwant\n%s", width, height, top, len(all), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			n := r.IntN(2*height) - height
			switch r.IntN(10) {
			case 0:
				room.Home()
				top = 0
			case 1:
				room.End()
				top = last
			default:
				room.Scroll(n)
				top = min(max(0, top+n), last)
			}
		}
	}
}

// TestChoosingKeepsTheEntryOnTheScreen walks over all entries and opens them.
func TestChoosingKeepsTheEntryOnTheScreen(t *testing.T) {
	items := session(20)
	var room Room
	room.View(items, 60, 10, false, time.Now())
	if !room.Read() {
		t.Fatal("nothing to read")
	}
	seen := func() bool {
		return strings.Contains(strings.Join(plain(room.View(items, 60, 10, false, time.Now())), "\n"), ">")
	}
	for i := range 3 * len(items) {
		step := -1
		if i > len(items) {
			step = 1
		}
		room.Choose(step)
		if !seen() {
			t.Fatalf("step %d: the chosen entry is not on the screen", i)
		}
		if i%7 == 0 {
			room.Toggle()
			if !seen() {
				t.Fatalf("step %d: opening it takes it off the screen", i)
			}
		}
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	items := session(500)
	var room Room
	room.View(items, 80, 20, false, time.Now())
	for range 600 {
		room.Page(-1)
		room.View(items, 80, 20, false, time.Now())
	}
	if n := len(room.cache); n > keep+2*20 {
		t.Errorf("the lines of %d entries are kept", n)
	}
}

func TestTellingLines(t *testing.T) {
	for line, want := range map[string]bool{
		"scan_test.go:88: col = 17": true, "--- FAIL: TestX (0.00s)": true, "panic: runtime error": true, "error: no such file": true,
		"ok  	example.org/x	0.1s": false, "12:34:56 started": false, "at 10:30 we left": false, "FAIL": false, "": false,
	} {
		if got := telling(line); got != want {
			t.Errorf("%q tells: %v, want %v", line, got, want)
		}
	}
}
