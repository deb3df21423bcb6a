package view

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// Wrap breaks a line into rows of at most width cells: between words where it
// can, inside a word where it must, never inside a made-visible character that
// fits a row. Every character of the line is in one of the rows; blanks at a
// break stay at the end of the row, or go where they would stand beyond it.
// Rows after the first are indented by hang cells.
func (w Widths) Wrap(l Line, width, hang int) []Line {
	if width <= 0 {
		return nil
	}
	if w.Line(l) <= width {
		return []Line{l}
	}
	if hang >= width/2 {
		hang = 0
	}
	f := flow{w: w, width: width, hang: hang}
	for _, s := range l {
		for rest := s; rest.Text.String() != ""; {
			word := nextWord(rest.Text.String(), s.Style == theme.Escape)
			f.add(Span{rest.Text.Slice(0, word), s.Style})
			rest.Text = rest.Text.Slice(word, len(rest.Text.String()))
		}
	}
	return append(f.rows, f.row)
}

// nextWord is the length of the first word of s or of the blanks before it.
func nextWord(s string, whole bool) int {
	if whole {
		return len(s)
	}
	if s[0] == ' ' {
		return len(s) - len(strings.TrimLeft(s, " "))
	}
	if i := strings.IndexByte(s, ' '); i > 0 {
		return i
	}
	return len(s)
}

// flow fills rows.
type flow struct {
	w           Widths
	width, hang int
	rows        []Line
	row         Line
	used        int // cells of the row
}

func (f *flow) add(s Span) {
	cells := f.w.Of(s.Text)
	switch {
	case f.used+cells <= f.width:
		f.put(s, cells)
	case s.Text.String()[0] == ' ':
		// Blanks never start a row: they are seen by the break.
		if room := f.width - f.used; room > 0 {
			f.put(Span{s.Text.Slice(0, room), s.Style}, room)
		}
	case f.hang+cells <= f.width:
		f.next()
		f.put(s, cells)
	default:
		f.split(s)
	}
}

func (f *flow) put(s Span, cells int) {
	if n := len(f.row); n > 0 && f.row[n-1].Style == s.Style && s.Style != theme.Escape {
		// Words of one style are one span again.
		f.row[n-1].Text = safe.Join(f.row[n-1].Text, s.Text)
	} else {
		f.row = append(f.row, s)
	}
	f.used += cells
}

func (f *flow) next() {
	f.rows = append(f.rows, f.row)
	f.row, f.used = Spaces(f.hang), f.hang
}

// split spreads a word that is longer than a row. A word that could begin in
// this row does, when much of the row is left.
func (f *flow) split(s Span) {
	if f.used > f.hang && f.width-f.used < f.width/4 {
		f.next()
	}
	for rest := s; ; {
		text := rest.Text.String()
		n, cells := f.w.fit(text, f.width-f.used)
		if n == 0 && f.used <= f.hang {
			// One character is wider than the row: it cannot be shown, and
			// must not stop us.
			n, cells = f.w.first(text)
			cells = min(cells, f.width-f.used)
		}
		if n > 0 {
			f.put(Span{rest.Text.Slice(0, n), s.Style}, cells)
		}
		if n == len(text) {
			return
		}
		rest.Text = rest.Text.Slice(n, len(text))
		f.next()
	}
}
