package composer

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func plain(lines []view.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(view.Plain(l), " "))
	}
	return strings.Join(out, "|")
}

func TestView(t *testing.T) {
	for _, c := range []struct {
		text  string
		left  int // how often to go left
		width int
		most  int
		want  string
		at    view.Cell
	}{
		{"", 0, 20, 5, ">", view.Cell{X: 2}},
		{"hello", 0, 20, 5, "> hello", view.Cell{X: 7}},
		{"hello", 2, 20, 5, "> hello", view.Cell{X: 5}},
		{"one\ntwo", 0, 20, 5, "> one|  two", view.Cell{X: 5, Y: 1}},
		{"one\n", 0, 20, 5, "> one|", view.Cell{X: 2, Y: 1}},
		{"日本語", 1, 20, 5, "> 日本語", view.Cell{X: 6}},
		{"日本語", 0, 7, 5, "> 日本|  語", view.Cell{X: 4, Y: 1}},
		{"abcdef", 0, 5, 5, "> abc|  def|", view.Cell{X: 2, Y: 2}},
		{"a\nb\nc\nd", 0, 20, 2, "  c|  d", view.Cell{X: 3, Y: 1}},
		{"e\u0301x", 1, 20, 5, "> e\u0301x", view.Cell{X: 3}},
		{"a\u202eb", 1, 20, 5, "> a<U+202E>b", view.Cell{X: 11}},
		{"x", 0, 2, 3, "", view.Cell{}},
	} {
		var r Room
		r.Insert(c.text)
		for range c.left {
			r.Left()
		}
		lines, at := r.View(c.width, 1, c.most, false)
		if got := plain(lines); got != c.want || at != c.at {
			t.Errorf("%q at %d: got %q, caret %v; want %q, %v", c.text, c.width, got, at, c.want, c.at)
		}
	}
}

func TestEditing(t *testing.T) {
	var r Room
	r.Insert("fix the parser")
	r.WordLeft()
	r.DeleteWord()
	r.Insert("a ")
	r.End()
	r.Backspace()
	r.Home()
	r.Delete()
	if got := r.Text(); got != "ix a parse" {
		t.Errorf("got %q", got)
	}
	r.Set("one\ntwo\nthree")
	r.Up(20, false)
	r.Up(20, false)
	r.End()
	r.Insert("!")
	if got := r.Text(); got != "one!\ntwo\nthree" {
		t.Errorf("got %q", got)
	}
	if r.Up(20, false) {
		t.Error("went above the first row")
	}
	r.Down(20, false)
	r.End()
	r.DeleteToStart()
	if got := r.Text(); got != "one!\n\nthree" {
		t.Errorf("got %q", got)
	}
	r.WordRight()
	r.Insert("x")
	if got := r.Text(); got != "one!\n\nthreex" {
		t.Errorf("got %q", got)
	}
}

func TestMarksJoinTheirBase(t *testing.T) {
	var r Room
	r.Insert("e")
	r.Insert("\u0301")
	r.Insert("x")
	r.Left()
	r.Backspace()
	if got := r.Text(); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestPaste(t *testing.T) {
	var r Room
	r.Paste("a\x1b[31m\x07b\r\nc\rd\u009b")
	if got := r.Text(); got != "a[31mb\nc\nd" {
		t.Errorf("got %q", got)
	}
	r.Clear()
	long := strings.Repeat("line of a paste\n", 400)
	r.Insert("see ")
	r.Paste(long)
	r.Insert(" please")
	lines, _ := r.View(60, 1, 5, false)
	if got := plain(lines); got != "> see [paste 1: 401 lines, 6 KB] please" {
		t.Errorf("shown as %q", got)
	}
	if r.Text() != "see "+long+" please" {
		t.Error("the text is not what was pasted")
	}
	for range len(" please") + 1 {
		r.Backspace()
	}
	if got := r.Text(); got != "see " {
		t.Errorf("a paste is not one piece: %q", got)
	}
}

func TestHistory(t *testing.T) {
	var r Room
	if r.Older() || r.Newer() {
		t.Error("an empty history has something")
	}
	r.Remember([]string{"first", "second"})
	r.Insert("draft")
	r.Older()
	r.Older()
	if r.Older() || r.Text() != "first" {
		t.Errorf("got %q", r.Text())
	}
	r.Newer()
	r.Newer()
	if r.Newer() || r.Text() != "draft" {
		t.Errorf("got %q", r.Text())
	}
}

// TestEarlierSessions: what was said in them comes before, also when it is
// learnt late.
func TestEarlierSessions(t *testing.T) {
	var r Room
	r.Remember([]string{"now"})
	r.Insert("draft")
	r.Older()
	r.Before([]string{"long ago", "yesterday"})
	if r.Text() != "now" {
		t.Errorf("got %q", r.Text())
	}
	r.Older()
	r.Older()
	if r.Older() || r.Text() != "long ago" {
		t.Errorf("got %q", r.Text())
	}
	r.Remember([]string{"now", "later"})
	for r.Newer() {
	}
	if r.Text() != "draft" {
		t.Errorf("got %q", r.Text())
	}
	r.Older()
	if r.Text() != "later" {
		t.Errorf("got %q", r.Text())
	}
}

func TestWord(t *testing.T) {
	var r Room
	r.Insert("see @sca")
	if got := r.Word(); got != "@sca" {
		t.Errorf("got %q", got)
	}
	r.ReplaceWord("@scan/scan.go ")
	if r.Text() != "see @scan/scan.go " || r.Word() != "" {
		t.Errorf("got %q, %q", r.Text(), r.Word())
	}
	r.Left()
	r.Left()
	if got := r.Word(); got != "" {
		t.Errorf("inside of a word: %q", got)
	}
	r.Clear()
	r.Paste(strings.Repeat("x", MaxInline+1))
	if got := r.Word(); got != "" {
		t.Errorf("a paste is a word: %d bytes", len(got))
	}
}

func TestOneLine(t *testing.T) {
	r := Room{OneLine: true}
	r.Paste("a\nb\tc")
	if got := r.Text(); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

func FuzzComposer(f *testing.F) {
	f.Add("日本e\u0301\n\x1b<x1B>\t👍🏽", 5, 3)
	f.Fuzz(func(t *testing.T, s string, width, moves int) {
		width = max(0, width) % 100
		var r Room
		r.Insert(s)
		before := r.Text()
		for i := range max(0, moves) % 30 {
			switch i % 5 {
			case 0:
				r.Left()
			case 1:
				r.Up(width, false)
			case 2:
				r.WordLeft()
			case 3:
				r.Down(width, false)
			case 4:
				r.Right()
			}
		}
		if r.Text() != before {
			t.Fatalf("moving changed %q to %q", before, r.Text())
		}
		lines, at := r.View(width, 1, 6, false)
		if at.X < 0 || at.Y < 0 || at.X > max(0, width-1) || at.Y >= max(1, len(lines)) {
			t.Fatalf("%q at %d: caret at %v of %d lines", s, width, at, len(lines))
		}
		for _, l := range lines {
			for _, sp := range l {
				if !visible.Harmless(sp.Text.String()) {
					t.Fatalf("%q is shown as %q", s, sp.Text)
				}
			}
		}
	})
}
