package view

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// Widths measures text as the terminal does: by code points, or by grapheme
// clusters once it said so (mode 2027). The zero value is by code points.
type Widths bool

// Graphemes measures clusters.
const Graphemes Widths = true

func (w Widths) method() ansi.Method {
	if w == Graphemes {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Of is how many cells a text takes.
func (w Widths) Of(t safe.Text) int {
	s := t.String()
	if ascii(s) {
		return len(s)
	}
	n := 0
	for len(s) > 0 {
		size, cells := w.first(s)
		n += cells
		s = s[size:]
	}
	return n
}

// Line is how many cells a line takes.
func (w Widths) Line(l Line) int {
	n := 0
	for _, s := range l {
		n += w.Of(s.Text)
	}
	return n
}

// first is the length and the width of the first cluster of s.
func (w Widths) first(s string) (size, cells int) {
	if len(s) == 1 || s[0] < 0x80 && s[1] < 0x80 {
		return 1, 1
	}
	cluster, cells := ansi.FirstGraphemeCluster(s, w.method())
	return len(cluster), cells
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
