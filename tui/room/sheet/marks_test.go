package sheet

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func TestDiffer(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"    col := s.col", "    start := s.col", "col"},
		{"const tab = 8", "const tabWidth = 8", ""}, // nothing of it went
		{"const tabWidth = 8", "const tab = 8", "tabWidth"},
		{"x = 1", "x = 1 // one", ""},
		{"x = 1 // one", "x = 1", " // one"},
		{"same", "same", ""},
		{"nothing alike here", "quite another text", ""},
		{"名前は太郎です", "名前は花子です", "名前は太郎です"},
		{"a, b, c", "a, d, c", "b"},
	} {
		from, to := differ(c.a, c.b)
		if got := c.a[from:to]; got != c.want {
			t.Errorf("%q and %q differ in %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	var lines []event.Line
	for _, k := range "-+ --+ - ++" {
		lines = append(lines, event.Line{Kind: map[rune]event.LineKind{'-': event.LineDelete, '+': event.LineAdd, ' ': event.LineContext}[k]})
	}
	want := []int{2, 1, 0, 6, 0, 4, 0, 0, 0, 0, 0}
	for i, n := range pairs(lines) {
		if n != want[i] {
			t.Errorf("line %d is paired with %d, want %d", i, n, want[i])
		}
	}
}

// FuzzMarks: marks leave every character where it is, and part none.
func FuzzMarks(f *testing.F) {
	f.Add("a b c", "a d c")
	f.Add("日本\x1bx", "日 x")
	f.Fuzz(func(t *testing.T, a, b string) {
		number := strings.Repeat(" ", diffNumber)
		text := number + visible.Strict(a)
		s := New([]event.Line{{Kind: event.LineDelete, Text: text}, {Kind: event.LineAdd, Text: number + visible.Strict(b)}})
		var got strings.Builder
		for _, sp := range s.changed(0, safe.Shown(text), theme.Deleted, theme.DeletedMark) {
			if !visible.Harmless(sp.Text.String()) {
				t.Fatalf("%q is parted: %q", text, sp.Text)
			}
			got.WriteString(sp.Text.String())
		}
		if got.String() != text {
			t.Fatalf("%q becomes %q", text, got.String())
		}
		s.View(40, 10, view.Graphemes)
	})
}
