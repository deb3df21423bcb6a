package view

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in          string
		width, hang int
		want        string
	}{
		{"short", 10, 0, "short"},
		{"one two three", 8, 0, "one two |three"},
		{"one two three", 8, 2, "one two |  three"},
		{"abcdefghij", 4, 0, "abcd|efgh|ij"},
		{"日本語の文", 5, 0, "日本|語の|文"},
		{"日本", 1, 0, "日|本"},
		{"a      b", 4, 0, "a   |b"},
		{"    indented words here", 12, 4, "    indented|    words |    here"},
		{"x", 0, 0, ""},
	} {
		var got []string
		for _, l := range Widths(false).Wrap(Lit(theme.Plain, safe.Strict(c.in)), c.width, c.hang) {
			got = append(got, Plain(l))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q to %d, %d: got %q, want %q", c.in, c.width, c.hang, strings.Join(got, "|"), c.want)
		}
	}
}

func TestEscapesAreNotBroken(t *testing.T) {
	l := Text(theme.Plain, safe.Strict("abcdef\u202eghi"))
	if len(l) != 3 || l[1].Style != theme.Escape {
		t.Fatalf("spans: %v", l)
	}
	var got []string
	for _, row := range Widths(false).Wrap(l, 10, 0) {
		got = append(got, Plain(row))
	}
	if strings.Join(got, "|") != "abcdef|<U+202E>|ghi" {
		t.Errorf("rows: %q", got)
	}
}

// TestNothingIsLost wraps random text and puts it together again.
func TestNothingIsLost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "bc", " ", "  ", "日本", "é", "e\u0301", "\x1b", "\u202e", "<x1B>", "👍", "한"}
	for range 3000 {
		var in strings.Builder
		for range r.IntN(40) {
			in.WriteString(pieces[r.IntN(len(pieces))])
		}
		width := 1 + r.IntN(30)
		for _, w := range []Widths{false, Graphemes} {
			text := safe.Strict(in.String())
			var got strings.Builder
			for _, l := range w.Wrap(Text(theme.Plain, text), width, 0) {
				if n := w.Line(l); n > width && width > 1 {
					t.Fatalf("%q to %d: row %q has %d cells", text, width, Plain(l), n)
				}
				got.WriteString(strings.ReplaceAll(Plain(l), " ", ""))
			}
			if want := strings.ReplaceAll(text.String(), " ", ""); got.String() != want {
				t.Fatalf("%q to %d: got %q", text, width, got.String())
			}
		}
	}
}

func TestWidthsAreTheRenderers(t *testing.T) {
	for _, s := range []string{"abc", "日本語", "e\u0301x", "👍a", "한글", "a\u0301\u0302", "\u1112\u1161\u11ab"} {
		text := safe.Strict(s)
		if got, want := Widths(false).Of(text), ansi.StringWidthWc(text.String()); got != want {
			t.Errorf("%q: %d cells, the renderer has %d", text, got, want)
		}
		if got, want := Graphemes.Of(text), ansi.StringWidth(text.String()); got != want {
			t.Errorf("%q: %d cells by clusters, the renderer has %d", text, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	left, right := Lit(theme.Plain, safe.Lit("a long left side")), Lit(theme.Dim, safe.Lit("right"))
	for width, want := range map[int]string{
		30: "a long left side         right",
		23: "a long left side  right",
		20: "a long left..  right",
		12: "a long lef..",
		0:  "",
	} {
		if got := Plain(Widths(false).Ends(left, right, width, 10)); got != want {
			t.Errorf("%d: got %q, want %q", width, got, want)
		}
	}
}

func TestDrawIsExact(t *testing.T) {
	f := Frame{Lines: []Line{Lit(theme.Strong, safe.Lit("12345")), nil, Text(theme.Plain, safe.Strict("日本"))}}
	for width := range 7 {
		for height := range 6 {
			out := f.Draw(theme.Named("dark"), false, width, height)
			if got := strings.Count(out, "\n") + 1; height > 0 && got != height {
				t.Errorf("%dx%d has %d lines", width, height, got)
			}
			for _, line := range strings.Split(out, "\n") {
				if n := ansi.StringWidthWc(line); n > width {
					t.Errorf("%dx%d: %q has %d cells", width, height, line, n)
				}
			}
		}
	}
}

// TestSkip leaves out cells from the left, and keeps those that follow in their
// columns.
func TestSkip(t *testing.T) {
	line := Join(Lit(theme.Dim, safe.Lit("ab")), Text(theme.Plain, safe.Strict("日本c")), Lit(theme.Key, safe.Lit("de")))
	for n, want := range []string{"ab日本cde", "b日本cde", "日本cde", " 本cde", "本cde", " cde", "cde", "de", "e", "", ""} {
		if got := Plain(Widths(false).Skip(line, n)); got != want {
			t.Errorf("without %d cells: %q, want %q", n, got, want)
		}
	}
}
