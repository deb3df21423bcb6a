package composer

import (
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// What stands before the rows of the text takes promptWidth cells.
var (
	prompt   = view.Lit(theme.Key, safe.Lit("> "))
	hang     = view.Spaces(promptWidth)
	tabShown = safe.Lit("    ")
)

const promptWidth = 2

// row is one row of the text: cells from to to.
type row struct{ from, to int }

// shown is how a cell is drawn.
func (r *Room) shown(c cell) view.Line {
	switch {
	case c.paste > 0:
		return view.Lit(theme.Code, r.label(c.paste))
	case c.text == "\t":
		return view.Lit(theme.Plain, tabShown)
	default:
		return view.Text(theme.Plain, safe.Strict(c.text))
	}
}

// rows breaks the text at its line feeds, and at the width.
func (r *Room) rows(width int, w view.Widths) []row {
	var out []row
	from, used := 0, 0
	for i, c := range r.cells {
		if c.text == "\n" {
			out = append(out, row{from, i})
			from, used = i+1, 0
			continue
		}
		n := w.Line(r.shown(c))
		if used > 0 && used+n > width {
			out = append(out, row{from, i})
			from, used = i, 0
		}
		used += n
	}
	out = append(out, row{from, len(r.cells)})
	if used >= width && r.caret == len(r.cells) {
		out = append(out, row{len(r.cells), len(r.cells)}) // room for the caret
	}
	return out
}

// caretRow is the row that the caret is in.
func (r *Room) caretRow(rows []row) int {
	for i := len(rows) - 1; i > 0; i-- {
		if r.caret >= rows[i].from {
			return i
		}
	}
	return 0
}

// View draws the room in at least least and at most most rows, and says where
// the caret is.
func (r *Room) View(width, least, most int, w view.Widths) (lines []view.Line, caret view.Cell) {
	if width <= promptWidth || most <= 0 {
		return view.Fill(nil, min(least, max(0, most))), view.Cell{}
	}
	rows := r.rows(width-promptWidth, w)
	at := r.caretRow(rows)
	first := 0
	if len(rows) > most {
		first = min(max(0, at-most+1), len(rows)-most)
	}
	for i := first; i < len(rows) && len(lines) < most; i++ {
		line := hang
		if i == 0 {
			line = prompt
		}
		for _, c := range r.cells[rows[i].from:rows[i].to] {
			line = append(line[:len(line):len(line)], r.shown(c)...)
		}
		lines = append(lines, line)
	}
	caret = view.Cell{X: promptWidth, Y: at - first}
	for _, c := range r.cells[rows[at].from:r.caret] {
		caret.X += w.Line(r.shown(c))
	}
	caret.X = min(caret.X, width-1)
	return view.Fill(lines, max(least, len(lines))), caret
}

// Up moves the caret one row up; false at the first row.
func (r *Room) Up(width int, w view.Widths) bool { return r.vertical(width, w, -1) }

// Down moves the caret one row down; false at the last row.
func (r *Room) Down(width int, w view.Widths) bool { return r.vertical(width, w, 1) }

func (r *Room) vertical(width int, w view.Widths, step int) bool {
	rows := r.rows(max(1, width-promptWidth), w)
	at := r.caretRow(rows)
	to := at + step
	if to < 0 || to >= len(rows) {
		return false
	}
	col := 0
	for _, c := range r.cells[rows[at].from:r.caret] {
		col += w.Line(r.shown(c))
	}
	i := rows[to].from
	for used := 0; i < rows[to].to; i++ {
		used += w.Line(r.shown(r.cells[i]))
		if used > col {
			break
		}
	}
	r.caret = i
	return true
}
