package termtest

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// A Screen is a terminal emulator that remembers what was done to it.
type Screen struct {
	mu     sync.Mutex
	e      *vt.Emulator
	events Seen
	bytes  int
	writes int
	record func([]byte) // of what is written; may be nil
}

// Seen is what happened to a terminal besides text.
type Seen struct {
	Modes  map[string]bool // by the number of a DEC mode, "25": is it set
	Titles []string
	Bells  int
	Osc    []int // commands other than titles: clipboard, colours, links
}

// NewScreen makes an emulator of a size.
func NewScreen(width, height int) *Screen {
	s := &Screen{e: vt.NewEmulator(width, height)}
	s.events.Modes = map[string]bool{}
	mode := func(on bool) func(ansi.Mode) {
		return func(m ansi.Mode) { s.events.Modes[fmt.Sprint(m.Mode())] = on }
	}
	s.e.SetCallbacks(vt.Callbacks{
		Bell:        func() { s.events.Bells++ },
		Title:       func(t string) { s.events.Titles = append(s.events.Titles, t) },
		EnableMode:  mode(true),
		DisableMode: mode(false),
	})
	for _, n := range []int{4, 8, 9, 52, 104, 777, 1337} {
		s.e.RegisterOscHandler(n, func([]byte) bool { s.events.Osc = append(s.events.Osc, n); return true })
	}
	return s
}

// Record has f called with whatever is written from now on.
func (s *Screen) Record(f func([]byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = f
}

// Write shows what a program wrote.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += len(p)
	s.writes++
	if s.record != nil {
		s.record(p)
	}
	return s.e.Write(p)
}

// Answers is what the terminal answers to queries. Somebody must read it.
func (s *Screen) Answers() io.Reader { return s.e }

// Close ends Answers. (The emulator's own Close races with its Read.)
func (s *Screen) Close() error {
	if c, ok := s.e.InputPipe().(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Resize changes the size.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.e.Resize(width, height)
}

// Seen is what happened so far.
func (s *Screen) Seen() Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.events
	out.Modes = map[string]bool{}
	for k, v := range s.events.Modes {
		out.Modes[k] = v
	}
	return out
}

// Written is how many bytes were written, in how many writes.
func (s *Screen) Written() (bytes, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes, s.writes
}

// Cursor is where the cursor is, and whether it is seen.
func (s *Screen) Cursor() (x, y int, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.e.CursorPosition()
	return p.X, p.Y, !s.e.CursorHidden()
}

// AltScreen says that the alternate screen is shown.
func (s *Screen) AltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.e.IsAltScreen()
}

// Text is the rows of the screen, without blanks at their ends.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for y := range s.e.Height() {
		rows = append(rows, strings.TrimRight(s.row(y), " "))
	}
	return strings.Join(rows, "\n")
}

func (s *Screen) row(y int) string {
	var b strings.Builder
	for x := 0; x < s.e.Width(); {
		c := s.e.CellAt(x, y)
		if c == nil || c.Content == "" {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(c.Content)
		x += max(1, c.Width)
	}
	return b.String()
}

// Looks is how each cell of each row is drawn, in words: "bold #ff8787"; "" for
// the terminal's own look.
func (s *Screen) Looks() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := make([][]string, s.e.Height())
	var last uv.Style
	name := ""
	for y := range rows {
		rows[y] = make([]string, s.e.Width())
		for x := range rows[y] {
			c := s.e.CellAt(x, y)
			if c == nil {
				continue
			}
			if c.Style != last { // most cells look like the one before
				last, name = c.Style, styleName(c.Style)
			}
			rows[y][x] = name
		}
	}
	return rows
}

// Styled is Text with the look of each row beneath it: one letter for each
// cell, and a legend. Rows in the terminal's own look have none.
func (s *Screen) Styled() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b, legend strings.Builder
	letters := map[string]byte{}
	for y := range s.e.Height() {
		b.WriteString(strings.TrimRight(s.row(y), " ") + "\n")
		marks := make([]byte, s.e.Width())
		plain := true
		for x := range marks {
			marks[x] = '.'
			c := s.e.CellAt(x, y)
			if c == nil {
				continue
			}
			name := styleName(c.Style)
			if name == "" {
				continue
			}
			if letters[name] == 0 {
				letters[name] = byte('a' + len(letters))
				fmt.Fprintf(&legend, "%c %s\n", letters[name], name)
			}
			marks[x], plain = letters[name], false
		}
		if !plain {
			b.WriteString("~" + strings.TrimRight(string(marks), ".") + "\n")
		}
	}
	p := s.e.CursorPosition()
	fmt.Fprintf(&b, "cursor %d,%d shown %v\n", p.X, p.Y, !s.e.CursorHidden())
	return b.String() + legend.String()
}

func styleName(s uv.Style) string {
	if s.IsZero() {
		return "" // nearly all cells
	}
	var out []string
	for _, a := range []struct {
		bit  uint8
		name string
	}{{uv.AttrBold, "bold"}, {uv.AttrFaint, "faint"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}} {
		if s.Attrs&a.bit != 0 {
			out = append(out, a.name)
		}
	}
	if s.Underline != 0 {
		out = append(out, "underline")
	}
	if s.Fg != nil {
		out = append(out, hex(s.Fg))
	}
	if s.Bg != nil {
		out = append(out, "on "+hex(s.Bg))
	}
	return strings.Join(out, " ")
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// Scrollback is the rows that left the screen at its top.
func (s *Screen) Scrollback() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for y := range s.e.ScrollbackLen() {
		var row strings.Builder
		for x := 0; x < s.e.Width(); {
			c := s.e.ScrollbackCellAt(x, y)
			if c == nil || c.Content == "" {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(c.Content)
			x += max(1, c.Width)
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}
