package view

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// A Frame is a whole screen.
type Frame struct {
	Lines  []Line
	Cursor *Cell // where the caret is; nil hides it
	Fence  uint64
}

// Cell is a place on the screen, from the top left corner.
type Cell struct{ X, Y int }

// Draw is the frame as the renderer takes it: exactly height lines, each cut
// to width. A sequence that is not SGR, or text that is not safe, cannot be in
// it.
func (f Frame) Draw(t *theme.Theme, w Widths, width, height int) string {
	var b strings.Builder
	b.Grow(width * height * 2)
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		if y < len(f.Lines) {
			w.draw(&b, t, f.Lines[y], width)
		}
	}
	return b.String()
}

// Draw is one line as the renderer takes it.
func (w Widths) Draw(t *theme.Theme, l Line, width int) string {
	var b strings.Builder
	w.draw(&b, t, l, width)
	return b.String()
}

func (w Widths) draw(b *strings.Builder, t *theme.Theme, l Line, width int) {
	for _, s := range w.Cut(l, width) {
		sgr := t.SGR(s.Style)
		b.WriteString(sgr)
		b.WriteString(s.Text.String())
		if sgr != "" {
			b.WriteString(theme.Reset)
		}
	}
}

// Fill makes lines exactly height long: what is missing is blank, what is too
// much goes from the end.
func Fill(lines []Line, height int) []Line {
	height = max(0, height)
	if len(lines) > height {
		return lines[:height]
	}
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}
