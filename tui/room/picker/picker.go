// Package picker is the room of a list to choose from: what can be done,
// sessions, models, changes to take back. It is laid out like every other
// room: a title, the rows, the keys.
//
// # Promised
//
// What cannot be chosen stays in the list and says why. A list that is filtered
// keeps the order it had.
package picker

import (
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Row is one thing to choose.
type Row struct {
	ID    string
	Lead  safe.Text   // before the title: a tree
	Title safe.Text   // what it is
	Cells []safe.Text // columns behind it; they go from the end where there is no room
	Right safe.Text   // at the end of the row: a key, a word
	Note  safe.Text   // why it cannot be chosen; "" when it can
	Warn  bool        // the cells need attention
	More  string      // what a search finds besides the title
	Hit   string      // the search, in lower case, that found it by looking deeper
	About []safe.Text // shown in full beneath the list while the row is chosen
}

// A Room is a list. Its zero value has no rows.
type Room struct {
	Title safe.Text
	Facts safe.Text // at the end of the title
	Empty safe.Text // what is said when there are no rows
	None  safe.Text // what is said when none fits the search; empty for the usual
	Foot  []Hint
	Typed bool // letters search; else they are keys of the list, and / searches

	rows    []Row
	fit     []int // indexes of the rows that the search leaves
	find    composer.Room
	finding bool
	chosen  int // index into fit
	top     int
	room    int // rows that there was room for
}

// A Hint is a key and what it does, for the last row.
type Hint struct {
	Press, Does safe.Text
	Free        bool // it needs no row
}

// Set puts rows into the list. The choice stays at the row it was at.
func (r *Room) Set(rows []Row) {
	id := ""
	if c := r.Chosen(); c != nil {
		id = c.ID
	}
	r.rows = rows
	r.filter()
	for i, n := range r.fit {
		if r.rows[n].ID == id && id != "" {
			r.chosen = i
		}
	}
}

// Chosen is the row under the cursor, nil when there is none.
func (r *Room) Chosen() *Row {
	if r.chosen >= len(r.fit) {
		return nil
	}
	return &r.rows[r.fit[r.chosen]]
}

// Searching says that letters go to the search.
func (r *Room) Searching() bool { return r.Typed || r.finding }

// Find is what is searched for.
func (r *Room) Find() string { return r.find.Text() }

// Key moves the choice, or edits the search. It is false for a key that the
// list has no use for: enter, esc, and the letters of a list without a search.
func (r *Room) Key(name string, k uv.Key) bool {
	switch name {
	case "up":
		r.move(-1)
	case "down":
		r.move(1)
	case "pgup":
		r.move(-10)
	case "pgdown":
		r.move(10)
	case "home":
		r.move(-len(r.fit))
	case "end":
		r.move(len(r.fit))
	case "esc":
		if !r.finding {
			return false
		}
		r.finding = false
		r.find.Clear()
		r.filter()
	case "/":
		if r.Searching() {
			return r.search(name, k)
		}
		r.finding = true
	default:
		return r.Searching() && r.search(name, k)
	}
	return true
}

func (r *Room) search(name string, k uv.Key) bool {
	r.find.OneLine = true
	switch {
	case name == "backspace":
		r.find.Backspace()
	case name == "ctrl+u":
		r.find.Clear()
	case name == "ctrl+w":
		r.find.DeleteWord()
	case k.Text != "" && k.Mod&^uv.ModShift == 0:
		r.find.Insert(k.Text)
	default:
		return false
	}
	r.chosen = 0 // what is found first, and not what stood there before
	r.filter()
	// Another search: the first that fits and can be chosen.
	r.chosen = max(0, slices.IndexFunc(r.fit, func(i int) bool { return r.rows[i].Note.Empty() }))
	return true
}

// Paste adds text to the search.
func (r *Room) Paste(text string) {
	if r.Searching() {
		r.find.OneLine = true
		r.find.Paste(text)
		r.filter()
	}
}

func (r *Room) move(step int) {
	r.chosen = max(0, min(r.chosen+step, len(r.fit)-1))
}

// filter keeps the rows in which every word of the search stands.
func (r *Room) filter() {
	r.fit = r.fit[:0]
	find := strings.ToLower(strings.TrimSpace(r.find.Text()))
	words := strings.Fields(find)
	for i, row := range r.rows {
		text := strings.ToLower(row.Title.String() + " " + row.More)
		ok := true // with no words
		for _, w := range words {
			ok = ok && strings.Contains(text, w)
		}
		if ok || row.Hit != "" && row.Hit == find {
			r.fit = append(r.fit, i)
		}
	}
	r.chosen = max(0, min(r.chosen, len(r.fit)-1))
}

// View draws the list, and says where the caret of the search is.
func (r *Room) View(width, height int, w view.Widths) ([]view.Line, *view.Cell) {
	head, caret := r.head(width, w)
	foot := append(r.about(width, height/3, w), view.Rule(width), Hints(r.hints(), width, w))
	room := max(1, height-len(head)-len(foot))
	if room != r.room {
		r.top, r.room = 0, room // another screen: the place is that of the choice
	}
	r.top = min(r.top, r.chosen)
	r.top = max(0, min(max(r.top, r.chosen-room+1), len(r.fit)-room))
	var body []view.Line
	cols := r.columns(width, w)
	for i := r.top; i < len(r.fit) && len(body) < room; i++ {
		body = append(body, r.row(&r.rows[r.fit[i]], i == r.chosen, cols, width, w))
	}
	if len(r.fit) == 0 {
		say := r.Empty
		if len(r.rows) > 0 {
			if say = r.None; say.Empty() {
				say = safe.Lit("nothing fits the search")
			}
		}
		body = append(w.Wrap(view.Join(view.Spaces(3), view.Lit(theme.Dim, say)), width, 3), body...)
	}
	return append(append(head, view.Fill(body, room)...), foot...), caret
}

// hints are the keys that can be pressed now: where there is no row, those that
// need none, and the last one, which goes back.
func (r *Room) hints() []Hint {
	if len(r.rows) > 0 || len(r.Foot) == 0 {
		return r.Foot
	}
	var out []Hint
	for i, h := range r.Foot {
		if h.Free || i == len(r.Foot)-1 {
			out = append(out, h)
		}
	}
	return out
}

// head is the title, and the search where there is one.
func (r *Room) head(width int, w view.Widths) (lines []view.Line, caret *view.Cell) {
	lines = append(lines, w.Ends(view.Lit(theme.Title, r.Title), view.Lit(theme.Dim, r.Facts), width, 10))
	if r.Searching() {
		box, at := r.find.View(width, 1, 1, w)
		at.Y = len(lines)
		lines, caret = append(lines, box...), &at
	}
	return append(lines, view.Rule(width)), caret
}

// about is what is said of the chosen row, in at most most rows.
func (r *Room) about(width, most int, w view.Widths) []view.Line {
	c := r.Chosen()
	if c == nil || len(c.About) == 0 || most < 2 {
		return nil
	}
	out := []view.Line{view.Rule(width)}
	for _, t := range c.About {
		if !t.Empty() {
			out = append(out, w.Wrap(view.Join(view.Spaces(3), view.Text(theme.Plain, t)), width, 3)...)
		}
	}
	return out[:min(len(out), most)]
}

// Hints is a row of keys: as many as fit, in their order. The last one, which
// goes back, always stands.
func Hints(hints []Hint, width int, w view.Widths) view.Line {
	var out view.Line
	for i, h := range hints {
		part := view.Join(view.Lit(theme.Key, h.Press), view.Spaces(1), view.Lit(theme.Dim, h.Does))
		if i > 0 {
			part = view.Join(view.Spaces(3), part)
		}
		last := i == len(hints)-1
		if room := width - w.Line(out); !last && w.Line(part)+3+hintWidth(hints[len(hints)-1], w) > room {
			continue
		}
		if len(out) == 0 && i > 0 {
			part = part[1:] // nothing stands before it
		}
		out = view.Join(out, part)
	}
	return w.Cut(out, width)
}

func hintWidth(h Hint, w view.Widths) int { return w.Of(h.Press) + 1 + w.Of(h.Does) }

// columns are where the cells begin, and the widths of the cells: the titles
// get what they need, up to a half of the screen.
func (r *Room) columns(width int, w view.Widths) []int {
	out := []int{leastTitle}
	for _, n := range r.fit {
		row := &r.rows[n]
		if len(row.Cells) > 0 || !row.Note.Empty() {
			out[0] = max(out[0], min(width/2, w.Of(row.Lead)+w.Of(row.Title)+6))
		}
		if !row.Note.Empty() {
			continue
		}
		for i, c := range row.Cells {
			if i+1 == len(out) {
				out = append(out, 0)
			}
			out[i+1] = max(out[i+1], w.Of(c))
		}
	}
	return out
}

// row lays one row out: what is chosen stands out by its mark, not by its
// colour alone.
func (r *Room) row(row *Row, chosen bool, cols []int, width int, w view.Widths) view.Line {
	mark, style := view.Lit(theme.Plain, safe.Lit("   ")), theme.Plain
	if chosen {
		mark, style = view.Lit(theme.Key, safe.Lit(" > ")), theme.Strong
	}
	if !row.Note.Empty() {
		style = theme.Dim
	}
	left := view.Join(mark, view.Lit(theme.Dim, row.Lead), view.Text(style, row.Title))
	cells, right := row.Cells, view.Lit(theme.Key, row.Right)
	if !row.Note.Empty() {
		cells = []safe.Text{row.Note} // alone: it needs no column
	}
	dim := theme.Dim
	if row.Warn {
		dim = theme.Warn
	}
	col := cols[0]
	if len(cells) > 0 && width >= narrow {
		left = w.Pad(w.Cut(left, col-2), col)
		for i, c := range cells {
			cell := view.Text(dim, c)
			if i < len(cells)-1 {
				cell = w.Pad(cell, cols[i+1]+3)
			}
			if i > 0 && w.Line(left)+w.Of(c)+3+w.Line(right) > width {
				break
			}
			left = view.Join(left, cell)
		}
	} else if len(cells) > 0 {
		right = view.Text(dim, cells[0])
	}
	return w.Ends(left, right, width, width/2)
}

// leastTitle is the least width of the column of titles, with its mark.
const leastTitle = 24

// narrow is the width below which a row has one column behind its title.
const narrow = 72
