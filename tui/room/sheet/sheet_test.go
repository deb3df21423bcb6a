package sheet

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func plain(lines []view.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(view.Plain(l), " "))
	}
	return strings.Join(out, "\n")
}

func TestLayout(t *testing.T) {
	s := New([]event.Line{
		{Kind: event.LineFact, Text: "program   /usr/bin/go  sha256 1234567890ab"},
		{Kind: event.LineWarn, Text: "network   packages.example.org:443"},
		{Kind: event.LineBlank},
		{Kind: event.LineHunk, Text: "@@ lines 1-2"},
		{Kind: event.LineDelete, Text: "    1       - old"},
		{Kind: event.LineAdd, Text: "          1 + new <U+00A0> and something that is long"},
		{Kind: event.LineModel, Text: "because"},
		{Kind: event.LineModel, Text: "I say so"},
		{Kind: "new kind", Text: "raw \x1b here"},
	})
	got, shown := s.View(34, 20, false)
	want := `  program   /usr/bin/go  sha256
            1234567890ab
! network   packages.example.org:4
            43

  @@ lines 1-2
      1       - old
            1 + new <U+00A0> and
                something that is
                long
  model says  because
              I say so
! raw <x1B> here`
	if strings.TrimRight(plain(got), "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", plain(got), want)
	}
	if s.Complete() {
		t.Error("complete before anything is known to be on the screen")
	}
	s.Mark(shown)
	if !s.Complete() {
		t.Error("not complete though all was on the screen")
	}
}

// TestTheEndStays: whoever read to the end still sees it when the keys of the
// answer take a row; who is elsewhere stays there.
func TestTheEndStays(t *testing.T) {
	for _, c := range []struct {
		name string
		back int
		want bool
	}{{"at the end", 0, false}, {"one row above it", 1, true}, {"at the top", 99, true}} {
		s := New(long(20))
		for range 20 {
			_, shown := s.View(40, 9, false)
			s.Mark(shown)
			s.Page(1)
		}
		s.Scroll(-c.back)
		s.View(40, 9, false)
		before, _, _ := s.Top()
		s.View(40, 8, false)
		top, _, below := s.Top()
		if below != c.want || c.back > 0 && top != before {
			t.Errorf("%s: below %v, top %d, before %d", c.name, below, top, before)
		}
	}
}

func TestNothingIsNeverComplete(t *testing.T) {
	s := New(nil)
	_, shown := s.View(20, 5, false)
	s.Mark(shown)
	if s.Complete() {
		t.Error("a question without lines is complete")
	}
}

func long(n int) []event.Line {
	var out []event.Line
	for i := range n {
		out = append(out, event.Line{Kind: event.LineFact, Text: fmt.Sprintf("line      %d %s", i, strings.Repeat("word ", i%20))})
	}
	return out
}

// TestSeenMeansSeen scrolls and resizes at random: the sheet is complete
// exactly when each row of each line was on the screen at one width.
func TestSeenMeansSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		lines := long(1 + r.IntN(40))
		s := New(lines)
		whole := make([]bool, len(lines))
		rows := map[Place]bool{}
		width, height := 20+r.IntN(60), 1+r.IntN(12)
		for range 150 {
			switch r.IntN(12) {
			case 0:
				width, height = 20+r.IntN(60), 1+r.IntN(12)
				clear(rows)
			case 1:
				s.End()
			case 2:
				s.Home()
			case 3:
				s.Page(-1)
			case 4, 5, 6:
				s.Page(1)
			default:
				s.Scroll(r.IntN(5) - 2)
			}
			out, shown := s.View(width, height, false)
			if len(out) != height {
				t.Fatalf("%d rows, want %d", len(out), height)
			}
			for _, l := range out {
				if n := view.Widths(false).Line(l); n > width {
					t.Fatalf("a row has %d cells of %d", n, width)
				}
			}
			for _, p := range shown {
				rows[p] = true
			}
			for i := range lines {
				all := true
				for row := range s.layout(i) {
					all = all && rows[Place{i, row}]
				}
				whole[i] = whole[i] || all
			}
			s.Mark(shown)
			want := 0
			for _, ok := range whole {
				if ok {
					want++
				}
			}
			if got, _ := s.Seen(); got != want {
				t.Fatalf("seen %d, want %d", got, want)
			}
		}
	}
}

func TestEndSkipsWhatIsBetween(t *testing.T) {
	s := New(long(200))
	mark := func() { _, shown := s.View(80, 10, false); s.Mark(shown) }
	mark()
	s.End()
	mark()
	if s.Complete() {
		t.Error("complete without the middle")
	}
	s.Home()
	for range 400 {
		mark()
		s.Page(1)
	}
	if seen, all := s.Seen(); !s.Complete() {
		t.Errorf("seen %d of %d after paging through", seen, all)
	}
}

func TestJump(t *testing.T) {
	lines := long(10)
	lines[5].Kind, lines[8].Kind = event.LineHunk, event.LineHunk
	s := New(append(lines, long(50)...))
	s.View(80, 5, false)
	s.Jump(event.LineHunk, 1)
	s.Jump(event.LineHunk, 1)
	if line, _, _ := s.Top(); line != 8 {
		t.Errorf("at %d", line)
	}
	s.Jump(event.LineHunk, -1)
	if line, above, below := s.Top(); line != 5 || !above || !below {
		t.Errorf("at %d, above %v, below %v", line, above, below)
	}
}

func BenchmarkViewOfALongDiff(b *testing.B) {
	s := New(long(100_000))
	for b.Loop() {
		s.View(100, 30, false)
		s.Scroll(7)
	}
}
