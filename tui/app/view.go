package app

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/status"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// View is the frame. It is called after every message, and gives the frame of
// before when nothing changed.
func (m *Model) View() (v tea.View) {
	defer func() {
		if r := recover(); r != nil && m.failed == nil {
			m.fail(r)
			v = m.last
		}
	}()
	if !m.dirty || m.failed != nil {
		return m.last
	}
	m.dirty = false
	f := m.compose(m.o.Now())
	height := m.height
	if m.o.Inline {
		height = min(height, len(f.Lines))
	}
	v = tea.NewView(f.Draw(m.theme, m.widths, m.width, height))
	v.AltScreen = !m.o.Inline
	v.ReportFocus = true
	v.WindowTitle = tty.FrameTitle(m.frame)
	if f.Cursor != nil && f.Cursor.X < m.width && f.Cursor.Y < m.height {
		v.Cursor = tea.NewCursor(f.Cursor.X, f.Cursor.Y)
		v.Cursor.Blink = false
	}
	m.last = v
	return v
}

// compose lays out the whole screen.
func (m *Model) compose(now time.Time) view.Frame {
	w, h := m.width, m.height
	if w <= 0 || h <= 0 {
		return view.Frame{}
	}
	foot := status.Line(&m.state, w, m.widths)
	if m.start != nil && !m.help {
		f := view.Frame{Lines: m.start.View(w, max(0, h-len(foot)-1), m.widths)}
		f.Lines = append(append(f.Lines, view.Rule(w)), foot...)
		return f
	}
	if h >= small {
		foot = append([]view.Line{view.Rule(w)}, foot...)
	}
	room := max(0, h-len(foot))
	var f view.Frame
	switch r := m.asking(); {
	case r != nil:
		f.Lines, f.Cursor = r.View(w, room, m.widths, now, m.nextFrame)
	case m.help:
		f.Lines = m.helpLines(w, room)
	case m.activity != nil:
		f.Lines = m.activity.View(w, room, m.widths)
	case m.o.Inline:
		f.Lines, f.Cursor = m.below(w, room, now)
		f.Lines = append(f.Lines, foot...)
		return f
	default:
		f.Lines, f.Cursor = m.chat(w, room, now)
	}
	f.Lines = append(view.Fill(f.Lines, room), foot...)
	return f
}

// small is the height below which separators go.
const small = 10

func (m *Model) nextFrame() uint64 {
	m.frame++
	return m.frame
}

// chat is the transcript, what needs attention, and the composer.
func (m *Model) chat(w, h int, now time.Time) ([]view.Line, *view.Cell) {
	bottom, caret := m.bottom(w, h, now)
	lines := []view.Line{}
	if room := h - len(bottom) - 1; room >= 0 {
		lines = append(lines, status.Title(&m.state, w, m.widths))
		lines = append(lines, m.body(w, room, now)...)
	}
	if caret != nil {
		caret.Y += len(lines)
	}
	return append(lines, bottom...), caret
}

// bottom is what needs attention and the composer, and where the caret is in
// it. Where there is no room for all, the composer is what stays.
func (m *Model) bottom(w, h int, now time.Time) (lines []view.Line, caret *view.Cell) {
	least, most := 1, max(1, h/3)
	if h >= 24 && !m.o.Inline {
		least = 3
	}
	box, at := m.composer.View(w, min(least, most), most, m.widths)
	lines = m.attention(w, max(1, (h-4)/3), now)
	ruled := h >= small-3
	if ruled {
		lines = append(lines, view.Rule(w))
	}
	above := len(lines)
	lines = append(lines, box...)
	if ruled {
		lines = append(lines, view.Rule(w))
	}
	lines = append(lines, m.hints(w, now))
	if len(lines) > h {
		lines, above = lines[min(above, len(lines)-1):], 0
	}
	if m.transcript.Reading() {
		return lines, nil
	}
	at.Y += above
	return lines, &at
}

// below is inline mode: what is finished stands above, in the terminal's own
// scrollback.
func (m *Model) below(w, h int, now time.Time) ([]view.Line, *view.Cell) {
	bottom, caret := m.bottom(w, h, now)
	var lines []view.Line
	for _, it := range m.state.Items[m.printed:] {
		lines = append(lines, nil)
		lines = append(lines, m.transcript.Draw(it, w, m.widths, now)...)
	}
	lines = append(lines[max(0, len(lines)-max(0, h-len(bottom)-1)):], nil)
	if caret != nil {
		caret.Y += len(lines)
	}
	return append(lines, bottom...), caret
}

// print hands finished entries to the scrollback, in inline mode.
func (m *Model) print(now time.Time) tea.Cmd {
	if !m.o.Inline || m.width <= 0 {
		return nil
	}
	var out []string
	for ; m.printed < len(m.state.Items); m.printed++ {
		it := m.state.Items[m.printed]
		if it.Open || it.Kind == snap.Tool && !it.Call.Done {
			break
		}
		if m.printed == 0 || transcript.Parts(m.state.Items[m.printed-1], it) {
			out = append(out, "")
		}
		// The renderer erases behind each line: a full one would lose its end.
		for _, l := range m.transcript.Draw(it, m.width-1, m.widths, now) {
			out = append(out, m.widths.Draw(m.theme, l, m.width-1))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return tty.Above(out)
}

// body is the transcript, or what to do when nothing was said yet.
func (m *Model) body(w, h int, now time.Time) []view.Line {
	if len(m.state.Items) > 0 {
		return m.transcript.View(&m.state, w, h, m.widths, now)
	}
	var out []view.Line
	if h >= 8 {
		out = append(out, nil)
	}
	say := func(style theme.Style, t safe.Text) {
		out = append(out, m.widths.Wrap(view.Join(view.Spaces(2), view.Text(style, t)), w, 2)...)
	}
	if !m.state.Opened {
		say(theme.Dim, safe.Lit("opening the session ..."))
		return view.Fill(out, h)
	}
	say(theme.Plain, safe.Join(safe.Lit("You are in "), safe.Strict(m.state.Root)))
	if h >= 8 {
		out = append(out, nil)
	}
	say(theme.Plain, safe.Lit("Say what should be done. Files are read as needed; before anything is"))
	say(theme.Plain, safe.Lit("changed or run you see exactly what, and decide."))
	return view.Fill(out, h)
}

// attention is what stands between transcript and composer: at most rows
// rows, of which an open question is the last to go.
func (m *Model) attention(w, rows int, now time.Time) []view.Line {
	notices := m.state.Notices
	if m.note != nil {
		notices = append(notices[:len(notices):len(notices)], *m.note)
	}
	plan := status.Todo(&m.state, w, m.widths)
	banners := status.Banners(m.state.Head, notices, w, m.widths)
	queue := status.Queue(&m.state, w, m.widths)
	var waiting []view.Line
	if m.state.Question != nil && m.answered.IsZero() {
		waiting = status.Waiting(&m.state, w, m.widths, now)
	}
	rows -= len(waiting)
	banners = banners[:min(len(banners), max(0, rows))]
	rows -= len(banners)
	queue = queue[max(0, len(queue)-max(0, rows)):]
	rows -= len(queue)
	plan = plan[:min(len(plan), max(0, rows))]
	return slices.Concat(plan, banners, waiting, queue)
}

func (m *Model) hints(w int, now time.Time) view.Line {
	if m.transcript.Reading() {
		return m.widths.Cut(view.Join(
			view.Lit(theme.Key, safe.Lit("up down")), view.Lit(theme.Dim, safe.Lit(" choose   ")),
			view.Lit(theme.Key, safe.Lit("enter")), view.Lit(theme.Dim, safe.Lit(" open   ")),
			view.Lit(theme.Key, safe.Lit("pgup pgdown home end")), view.Lit(theme.Dim, safe.Lit("   ")),
			view.Lit(theme.Key, safe.Lit("esc")), view.Lit(theme.Dim, safe.Lit(" back to the message"))), w)
	}
	newline := safe.Lit("ctrl+j")
	if m.enhanced {
		newline = safe.Lit("shift+enter")
	}
	return status.Hints(&m.state, w, m.widths, now, newline)
}

// helpLines is the table of keys and commands.
func (m *Model) helpLines(w, h int) []view.Line {
	var all []view.Line
	for _, s := range keys.Help() {
		if len(all) > 0 {
			all = append(all, nil)
		}
		all = append(all, view.Lit(theme.Title, s.Where))
		for _, k := range s.Keys {
			all = append(all, m.helpRow(k.Press, k.Does, w)...)
		}
	}
	all = append(all, nil, view.Lit(theme.Title, safe.Lit("Commands")))
	for _, c := range keys.Commands() {
		all = append(all, m.helpRow(safe.Join(c.Name, safe.Lit(" "), c.Args), c.Does, w)...)
	}
	room := max(0, h-2)
	m.helpTop = max(0, min(m.helpTop, len(all)-room))
	out := []view.Line{m.widths.Ends(view.Lit(theme.Title, safe.Lit("keys")), view.Lit(theme.Dim, safe.Lit("up down scroll, any other key closes")), w, 4)}
	out = append(out, view.Rule(w))
	return append(out, all[m.helpTop:min(len(all), m.helpTop+room)]...)
}

func (m *Model) helpRow(press, does safe.Text, w int) []view.Line {
	col := min(34, w/2)
	l := view.Join(m.widths.Pad(m.widths.Cut(view.Join(view.Spaces(2), view.Lit(theme.Key, press)), col-1), col), view.Lit(theme.Plain, does))
	return m.widths.Wrap(l, w, col)
}

// Goodbye is what full mode leaves on the normal screen.
func (m *Model) Goodbye() []view.Line {
	s := &m.state
	if s.ID == "" {
		return nil
	}
	var out []view.Line
	if s.Last != "" {
		it := snap.Item{Kind: snap.Pilot, Text: s.Last}
		out = append(out, m.transcript.Draw(&it, max(20, m.width), m.widths, m.o.Now())...)
		out = append(out, nil)
	}
	out = append(out, view.Join(view.Lit(theme.Dim, safe.Lit("session ")), view.Text(theme.Plain, safe.Strict(s.ID))))
	if s.Head.Head != "" {
		out = append(out, view.Join(
			view.Lit(theme.Dim, safe.Lit("log     ")), view.Text(theme.Plain, safe.Strict(s.Head.Head)),
			view.Lit(theme.Dim, safe.Join(safe.Lit(" #"), safe.Int(s.Head.Size)))))
	}
	if s.Front != "demo" { // which is kept, and over
		out = append(out, view.Lit(theme.Dim, safe.Lit("tera-pilot --continue goes on from here")))
	}
	return out
}
