package view

import (
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// A Span is text of one style.
type Span struct {
	Text  safe.Text
	Style theme.Style
}

// A Line is one row of the screen, or a logical line before it is wrapped.
type Line []Span

// Lit is a line of a constant of this program.
func Lit(style theme.Style, t safe.Text) Line { return Line{{t, style}} }

// Text is a line in which made-visible characters stand out.
func Text(style theme.Style, t safe.Text) Line {
	var out Line
	for {
		before, escape, after := t.Cut()
		if !before.Empty() {
			out = append(out, Span{before, style})
		}
		if escape.Empty() {
			return out
		}
		out = append(out, Span{escape, theme.Escape})
		t = after
	}
}

// Join puts lines side by side.
func Join(parts ...Line) Line {
	var out Line
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

var (
	blank = safe.Lit(" ")
	dash  = safe.Lit("-")
	more  = safe.Lit("..")
)

// Spaces is a line of n cells.
func Spaces(n int) Line {
	if n <= 0 {
		return nil
	}
	return Line{{safe.Repeat(blank, n), theme.Plain}}
}

// Rule is a line that separates.
func Rule(width int) Line { return Line{{safe.Repeat(dash, width), theme.Rule}} }

// Pad makes a line at least width cells wide.
func (w Widths) Pad(l Line, width int) Line {
	if n := width - w.Line(l); n > 0 {
		return append(l[:len(l):len(l)], Spaces(n)...)
	}
	return l
}

// Cut makes a line at most width cells wide. Where something is lost, it ends
// in two points.
func (w Widths) Cut(l Line, width int) Line {
	if w.Line(l) <= width {
		return l
	}
	if width <= w.Of(more) {
		return w.Head(l, width)
	}
	return append(w.Head(l, width-w.Of(more)), Span{more, theme.Dim})
}

// Skip is a line without its first cells. A character of two cells that would
// be cut goes with them, and leaves a blank.
func (w Widths) Skip(l Line, cells int) Line {
	for len(l) > 0 && cells > 0 {
		text := l[0].Text.String()
		n, used := w.fit(text, cells)
		cells -= used
		switch {
		case n == len(text):
			l = l[1:]
		case cells > 0:
			size, c := w.first(text[n:])
			return Join(Spaces(c-cells), Line{{l[0].Text.Slice(n+size, len(text)), l[0].Style}}, l[1:])
		default:
			return Join(Line{{l[0].Text.Slice(n, len(text)), l[0].Style}}, l[1:])
		}
	}
	return l
}

// Head is as much of a line as fits into width cells.
func (w Widths) Head(l Line, width int) Line {
	var out Line
	for _, s := range l {
		if width <= 0 {
			break
		}
		n, cells := w.fit(s.Text.String(), width)
		if n > 0 {
			out = append(out, Span{s.Text.Slice(0, n), s.Style})
		}
		if n < len(s.Text.String()) {
			break
		}
		width -= cells
	}
	return out
}

// fit is how many bytes of s fit into width cells, and how many cells they
// take.
func (w Widths) fit(s string, width int) (n, cells int) {
	if ascii(s) {
		n = max(0, min(len(s), width))
		return n, n
	}
	for n < len(s) {
		size, c := w.first(s[n:])
		if cells+c > width {
			break
		}
		n, cells = n+size, cells+c
	}
	return n, cells
}

// Ends puts left and right at the two ends of a row. The right end stays whole
// as long as it leaves room for least cells of the left one, else it goes.
func (w Widths) Ends(left, right Line, width, least int) Line {
	r := w.Line(right)
	if r == 0 || width-r-2 < min(least, w.Line(left)) {
		return w.Cut(left, width)
	}
	return Join(w.Pad(w.Cut(left, width-r-2), width-r), right)
}
