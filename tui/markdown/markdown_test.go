package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// marked draws lines as text, each style with a letter: *strong*.
func marked(lines []view.Line) string {
	letters := map[theme.Style]string{theme.Strong: "*", theme.Emph: "/", theme.Code: "`", theme.Heading: "#", theme.Dim: "~", theme.Quote: "'", theme.Rule: "", theme.Escape: "!", theme.Keyword: "^", theme.Comment: "%", theme.String: "$"}
	var b strings.Builder
	for _, l := range lines {
		for _, s := range l {
			text := s.Text.String()
			if m := letters[s.Style]; m != "" {
				text = m + text + m
			}
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func plain(lines []view.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(view.Plain(l) + "\n")
	}
	return b.String()
}

// TestExamples: testdata/*.md drawn at 40 columns is testdata/*.txt.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := marked(Render(string(src), 40, false))
		wantName := strings.TrimSuffix(name, ".md") + ".txt"
		if *update {
			if err := os.WriteFile(wantName, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(wantName)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// TestPiecesEqualTheWhole feeds each example byte by byte.
func TestPiecesEqualTheWhole(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{1, 7, 100} {
			r := New(40, false)
			for i := 0; i < len(src); i += step {
				r.Feed(string(src[:i]))
			}
			if got, want := marked(r.Feed(string(src))), marked(Render(string(src), 40, false)); got != want {
				t.Errorf("%s in steps of %d:\n%s\nwant:\n%s", name, step, got, want)
			}
		}
	}
}

func TestStreamingIsLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"paragraphs": "Some *text* with `code` in it, and more of it.\n\n", "code": "x := 1 // a line of code\n",
		"one long line": "word ", "stars": "*a **b _c ", "brackets": "[a](b [", "ticks": "` `` ",
	} {
		text := strings.Repeat(unit, (256<<10)/len(unit)+1)
		if name == "code" {
			text = "```\n" + text
		}
		took := func(n int) time.Duration {
			best := time.Hour
			for range 3 {
				r := New(80, false)
				start := worked(t)
				for i := 0; i <= n; i += 1024 {
					r.Feed(text[:i])
				}
				best = min(best, worked(t)-start)
			}
			return best
		}
		small, large := took(32<<10), took(256<<10)
		if large > 8*4*small { // eight times the text; four for a busy machine
			t.Errorf("%s: 32 KiB took %v, 256 KiB took %v", name, small, large)
		}
	}
}

// worked is the time that this process had a processor: what others do on the
// machine does not count.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func FuzzRender(f *testing.F) {
	f.Add("# a\n- b `c` **d**\n```go\nx\n```\n| a | b |\n|--|--|\n| 1 | 2 |\n", 20)
	f.Add("\x1b[31m[\u202ea](http://x) <U+202E>\n\n    code\n> q", 5)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 4 + max(0, width)%200
		lines := Render(s, width, false)
		for _, l := range lines {
			for _, sp := range l {
				if !visible.Harmless(sp.Text.String()) {
					t.Fatalf("%q holds a line that can do harm: %q", s, sp.Text)
				}
			}
			if n := view.Widths(false).Line(l); n > width {
				t.Fatalf("%q at %d: a line has %d cells", s, width, n)
			}
		}
		r := New(width, false)
		for i := 0; i < len(s); i += 3 {
			r.Feed(s[:i])
		}
		if got, want := plain(r.Feed(s)), plain(lines); got != want {
			t.Fatalf("%q piece by piece:\n%q\nas a whole:\n%q", s, got, want)
		}
	})
}
