// Package sheet lays out the logical lines of a question, lets a person scroll
// through all of them, and knows which ones were on the screen.
package sheet

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Sheet holds the lines of one question. The place on the screen is a line
// and a row in it, so that a long diff costs no more than a short one.
type Sheet struct {
	lines  []event.Line
	pair   []int // see pairs
	width  int
	widths view.Widths
	height int
	top    Place

	seen  []bool         // by line: all its rows were on the screen
	count int            // how many are
	rows  map[Place]bool // rows of lines that were on the screen in part, at this width

	// Find is marked wherever it stands, in small letters.
	Find string
	long bool // lines that are too long are not broken; see Break
	left int  // cells of such lines that lie left of the screen

	// Gutter says of a line whether the cursor is on it, and its mark; nil for
	// neither.
	Gutter func(line int) (cursor bool, mark safe.Text)
}

// Place is a row of a line.
type Place struct{ Line, Row int }

// New makes a sheet. The lines are those of the question and are not changed.
func New(lines []event.Line) *Sheet {
	return &Sheet{lines: lines, pair: pairs(lines), seen: make([]bool, len(lines)), rows: map[Place]bool{}}
}

// Seen is how many lines were on the screen as a whole, and how many there are.
func (s *Sheet) Seen() (seen, all int) { return s.count, len(s.lines) }

// Complete says that every line was on the screen. A question without lines
// shows nothing and is never complete.
func (s *Sheet) Complete() bool { return len(s.lines) > 0 && s.count == len(s.lines) }

// View draws a screen of the sheet. shown are the rows on it; whoever knows
// that the terminal has them hands them to Mark.
func (s *Sheet) View(width, height int, w view.Widths) (out []view.Line, shown []Place) {
	// The keys of an answer, which come once all was seen, may take a row: for
	// whoever went down to the end, the end stays on the screen.
	row := height == s.height-1 && width == s.width && w == s.widths && s.Complete()
	_, above, below := s.Top()
	s.resize(width, w)
	s.height = max(0, height)
	if row && above && !below {
		s.top = Place{len(s.lines), 0}
	}
	s.top = s.clamp(s.top)
	for p := s.top; p.Line < len(s.lines) && len(out) < s.height; p = (Place{p.Line + 1, 0}) {
		for i, row := range s.layout(p.Line) {
			if i >= p.Row && len(out) < s.height {
				out = append(out, view.Marked(row, s.Find))
				shown = append(shown, Place{p.Line, i})
			}
		}
	}
	return view.Fill(out, s.height), shown
}

func (s *Sheet) resize(width int, w view.Widths) {
	if width != s.width || w != s.widths {
		s.width, s.widths = width, w
		s.top.Row = 0
		clear(s.rows)
	}
}

// Rows is how many rows the lines take, or most when they take more.
func (s *Sheet) Rows(width, most int, w view.Widths) (n int) {
	s.resize(width, w)
	for i := 0; i < len(s.lines) && n < most; i++ {
		n += len(s.layout(i))
	}
	return min(n, most)
}

// Mark says that rows were on the screen, at the width of the last View.
func (s *Sheet) Mark(shown []Place) {
	for _, p := range shown {
		if p.Line >= len(s.seen) || s.seen[p.Line] {
			continue
		}
		rows := s.layout(p.Line)
		n := len(rows)
		if s.long && (s.left > 0 || s.widths.Line(s.whole(p.Line)) > s.width) {
			continue // its end, or its beginning, was not on the screen
		}
		if n > 1 {
			s.rows[p] = true
			if !s.allRows(p.Line, n) {
				continue
			}
		}
		s.seen[p.Line] = true
		s.count++
	}
}

func (s *Sheet) allRows(line, n int) bool {
	for row := range n {
		if !s.rows[Place{line, row}] {
			return false
		}
	}
	return true
}

// clamp keeps the last screen full.
func (s *Sheet) clamp(p Place) Place {
	last := s.back(Place{len(s.lines), 0}, s.height)
	if p.Line > last.Line || p.Line == last.Line && p.Row > last.Row {
		return last
	}
	return p
}

func (s *Sheet) back(p Place, n int) Place {
	for n > 0 {
		if p.Row > 0 {
			step := min(n, p.Row)
			p.Row -= step
			n -= step
			continue
		}
		if p.Line == 0 {
			return p
		}
		p.Line--
		p.Row = len(s.layout(p.Line))
	}
	return p
}

func (s *Sheet) forward(p Place, n int) Place {
	for n > 0 && p.Line < len(s.lines) {
		left := len(s.layout(p.Line)) - p.Row
		if n < left {
			p.Row += n
			return p
		}
		n -= left
		p = Place{p.Line + 1, 0}
	}
	return p
}

// Scroll moves by rows, up when negative.
func (s *Sheet) Scroll(rows int) {
	if rows < 0 {
		s.top = s.back(s.top, -rows)
	} else {
		s.top = s.clamp(s.forward(s.top, rows))
	}
}

// Page moves by screens; one row of the last one stays.
func (s *Sheet) Page(n int) { s.Scroll(n * max(1, s.height-1)) }

// Home goes to the first line.
func (s *Sheet) Home() { s.top = Place{} }

// End goes to the last line.
func (s *Sheet) End() { s.top = s.clamp(Place{len(s.lines), 0}) }

// Break says whether lines that are too long for the screen are broken into
// rows, which they are at first. A line of which a part is beside the screen
// does not count as seen.
func (s *Sheet) Break(on bool) {
	s.long, s.left, s.top.Row = !on, 0, 0
}

// Broken says that long lines are broken, and how many of their cells lie left
// of the screen.
func (s *Sheet) Broken() (on bool, left int) { return !s.long, s.left }

// Sideways moves over lines that are not broken, left when negative.
func (s *Sheet) Sideways(cells int) {
	if s.long {
		s.left = max(0, s.left+cells)
	}
}

// Next is the next line in which Find stands, after one for a step of 1 and
// before it for -1, and from the other end on; below 0 when there is none.
func (s *Sheet) Next(after, step int) int {
	n := len(s.lines)
	for i := range n {
		at := ((after+step*(i+1))%n + n) % n
		if s.Find != "" && strings.Contains(strings.ToLower(safe.Shown(s.lines[at].Text).String()), s.Find) {
			return at
		}
	}
	return -1
}

// Jump goes to the next line of a kind, or the one before when step is
// negative.
func (s *Sheet) Jump(kind event.LineKind, step int) {
	for i := s.top.Line + step; i >= 0 && i < len(s.lines); i += step {
		if s.lines[i].Kind == kind {
			s.top = s.clamp(Place{i, 0})
			return
		}
	}
}

// Top is the line at the top of the screen, and whether lines stand above and
// below the screen.
func (s *Sheet) Top() (line int, above, below bool) {
	return s.top.Line, s.top != Place{}, s.forward(s.top, s.height).Line < len(s.lines)
}

// Columns of the layout.
const (
	gutter     = 2  // marks of attention
	factName   = 10 // the core's names of facts, "program   "
	diffNumber = 14 // the core's line numbers and sign, "   12    13 + "
)

var (
	attention = view.Lit(theme.Warn, safe.Lit("! "))
	says      = safe.Lit("model says  ")
)

// Keep takes over from the sheet of the question before what was on the screen
// and is the same here, and where the person stood.
func (s *Sheet) Keep(old *Sheet) {
	s.width, s.widths, s.height, s.top = old.width, old.widths, old.height, old.top
	s.Find, s.long, s.left = old.Find, old.long, old.left
	for i := range s.lines {
		if i < len(old.lines) && old.seen[i] && s.lines[i] == old.lines[i] {
			s.seen[i] = true
			s.count++
		}
	}
	s.top = s.clamp(s.top)
}

// Reveal scrolls as little as brings a whole line onto the screen.
func (s *Sheet) Reveal(line int) {
	if line < s.top.Line || line == s.top.Line && s.top.Row > 0 {
		s.top = s.clamp(Place{line, 0})
		return
	}
	if first := s.back(Place{line + 1, 0}, s.height); first.Line > s.top.Line || first.Line == s.top.Line && first.Row > s.top.Row {
		s.top = s.clamp(first)
	}
}

// edge are the two cells before a line that has no mark of attention.
func (s *Sheet) edge(i int) view.Line {
	if s.Gutter == nil {
		return view.Spaces(gutter)
	}
	cursor, mark := s.Gutter(i)
	first := view.Spaces(1)
	if cursor {
		first = view.Lit(theme.Key, safe.Lit(">"))
	}
	if mark.Empty() {
		return view.Join(first, view.Spaces(1))
	}
	return view.Join(first, view.Text(theme.Key, mark))
}

// layout is a line as rows.
func (s *Sheet) layout(i int) []view.Line {
	line, hang := s.line(i)
	if s.long {
		return []view.Line{s.widths.Cut(s.shifted(line, hang), max(1, s.width))}
	}
	rows := s.widths.Wrap(line, max(1, s.width), hang)
	if len(rows) == 0 {
		return []view.Line{nil}
	}
	return rows
}

// whole is a line as it would stand on a screen that is wide enough.
func (s *Sheet) whole(i int) view.Line {
	line, _ := s.line(i)
	return line
}

// shifted leaves out what lies left of the screen, but not the marks and the
// numbers before it.
func (s *Sheet) shifted(line view.Line, marks int) view.Line {
	if s.left == 0 {
		return line
	}
	return view.Join(s.widths.Head(line, marks), s.widths.Skip(s.widths.Skip(line, marks), s.left))
}

// line is a line of the question with its marks, and how far its rows after the
// first are indented.
func (s *Sheet) line(i int) (line view.Line, hang int) {
	l := s.lines[i]
	text := safe.Shown(l.Text)
	hang = gutter
	switch l.Kind {
	case event.LineFact:
		hang, line = gutter+factName, view.Join(s.edge(i), fact(text, theme.Plain))
	case event.LineWarn:
		hang, line = gutter+factName, view.Join(attention, fact(text, theme.Warn))
	case event.LineFile:
		line = view.Text(theme.Title, text)
	case event.LineHunk:
		line = view.Join(s.edge(i), view.Text(theme.Hunk, text))
	case event.LineContext:
		hang, line = gutter+diffNumber, view.Join(s.edge(i), view.Text(theme.Dim, text))
	case event.LineAdd:
		hang, line = gutter+diffNumber, view.Join(s.edge(i), s.changed(i, text, theme.Added, theme.AddedMark))
	case event.LineDelete:
		hang, line = gutter+diffNumber, view.Join(s.edge(i), s.changed(i, text, theme.Deleted, theme.DeletedMark))
	case event.LineLeft:
		hang, line = gutter+diffNumber, view.Join(s.edge(i), view.Text(theme.Dim, text))
	case event.LineScript:
		line = view.Join(s.edge(i), view.Text(theme.Strong, text))
	case event.LineModel:
		hang = gutter + len(says.String())
		head := view.Spaces(len(says.String()))
		if i == 0 || s.lines[i-1].Kind != event.LineModel {
			head = view.Lit(theme.Dim, says)
		}
		line = view.Join(s.edge(i), head, view.Text(theme.Quote, text))
	case event.LineBlank:
		if s.Gutter != nil {
			if cursor, _ := s.Gutter(i); cursor {
				return s.edge(i), hang
			}
		}
	default:
		// A kind that we do not know is shown all the same.
		line = view.Join(attention, view.Text(theme.Plain, text))
	}
	return line, hang
}

// fact sets the name of a fact apart from what it says.
func fact(text safe.Text, style theme.Style) view.Line {
	t := text.String()
	if len(t) < factName || strings.IndexFunc(t[:factName], func(r rune) bool { return r >= 0x80 || r == '<' }) >= 0 || t[factName-1] != ' ' {
		return view.Text(style, text)
	}
	return view.Join(view.Lit(theme.Dim, text.Slice(0, factName)), view.Text(style, text.Slice(factName, len(t))))
}

// Hunk says where a line stands, or the screen when at is below 0: the number
// of the hunk it is in and how many there are, and the same of files.
func (s *Sheet) Hunk(at int) (hunk, hunks, file, files int) {
	inHunk, inFile := at, at
	if at < 0 {
		inHunk, inFile = s.top.Line+s.height/2, s.top.Line
	}
	for i, l := range s.lines {
		switch l.Kind {
		case event.LineHunk:
			hunks++
			if i <= inHunk {
				hunk = hunks
			}
		case event.LineFile:
			files++
			if i <= inFile {
				file = files
			}
		}
	}
	return hunk, hunks, file, files
}
