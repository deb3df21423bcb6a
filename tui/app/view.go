package app

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/room/status"
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
		if r := recover(); r != nil && m.end.panic == nil {
			m.end.panic = panicked(r)
			v = m.frame.last
		}
	}()
	if !m.frame.dirty || m.end.panic != nil {
		return m.frame.last
	}
	m.frame.dirty = false
	f := m.compose(m.o.Now())
	height := m.height
	if m.o.Inline {
		height = min(height, len(f.Lines))
		m.inline.rows = height
	}
	v = tea.NewView(f.Draw(m.theme, m.widths, m.width, height))
	v.AltScreen = !m.o.Inline
	v.ReportFocus = true
	v.WindowTitle = tty.FrameTitle(m.frame.n)
	if f.Cursor != nil && f.Cursor.X < m.width && f.Cursor.Y < m.height {
		v.Cursor = tea.NewCursor(f.Cursor.X, f.Cursor.Y)
		v.Cursor.Blink = false
	}
	m.frame.last = v
	if m.person.shown.IsZero() && len(f.Lines) > 0 {
		m.person.shown = m.o.Now()
	}
	if m.o.Composed != nil {
		m.o.Composed()
	}
	return v
}

// compose lays out the whole screen.
func (m *Model) compose(now time.Time) view.Frame {
	w, h := m.width, m.height
	if w <= 0 || h <= 0 {
		return view.Frame{}
	}
	foot := status.Line(&m.state, w, m.widths)
	if m.start != nil && m.panel == nil {
		below := append(m.attention(w, 2, now), view.Rule(w))
		lines, caret := m.start.View(w, max(0, h-len(foot)-len(below)), m.widths)
		f := view.Frame{Lines: lines, Cursor: caret}
		f.Lines = append(append(f.Lines, below...), foot...)
		return f
	}
	if h >= small {
		foot = append([]view.Line{view.Rule(w)}, foot...)
	}
	room := max(0, h-len(foot))
	var f view.Frame
	// A key that can do nothing says so also below a question, in the place of a
	// rule: what is asked must not move under the next key.
	switch r := m.asks.focused(); {
	case r != nil:
		m.banners.drawn("", now, m.frame.next) // they are not on the screen
		f.Lines, f.Cursor = r.View(w, room, m.widths, now, m.frame.next)
		if m.note != nil && h >= small {
			foot[0] = status.Banners(event.AuditHead{}, []event.Notice{*m.note}, m.listens(), w, m.widths)[0]
		}
	case m.panel != nil:
		f.Lines, f.Cursor = m.panelView(w, room, now)
	case m.o.Inline && !m.transcript.Reading():
		f.Lines, f.Cursor = m.below(w, max(1, room-m.inline.above(h)), now)
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
	if m.find.on() {
		box, at = m.find.line.View(w, 1, 1, m.widths)
	}
	lines = m.attention(w, max(1, (h-4)/3), now)
	lines = append(lines, m.completion.rows(w, max(0, (h-len(lines)-4)/2), m.widths)...)
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
	if m.transcript.Reading() && !m.find.on() {
		return lines, nil
	}
	at.Y += above
	return lines, &at
}

// body is the transcript, or what to do when nothing was said yet.
func (m *Model) body(w, h int, now time.Time) []view.Line {
	if said := m.welcomed(); said {
		return m.transcript.View(m.state.Talk.Items, w, h, m.widths, now)
	}
	var out []view.Line
	if h >= 8 {
		out = append(out, nil)
	}
	say := func(style theme.Style, t safe.Text) {
		out = append(out, m.widths.Wrap(view.Join(view.Spaces(2), view.Text(style, t)), w, 2)...)
	}
	if !m.state.Session.Opened {
		say(theme.Dim, safe.Lit("opening the session ..."))
		return view.Fill(out, h)
	}
	say(theme.Plain, safe.Join(safe.Lit("You are in "), safe.Strict(m.state.Session.Root)))
	if h >= 8 {
		out = append(out, nil)
	}
	say(theme.Plain, safe.Lit("Say what should be done. Files are read as needed; before anything is changed or run you see exactly what, and decide."))
	if room := h - len(out) - 1; len(m.state.Talk.Items) > 0 && room > 0 { // what the program itself has to say
		out = append(append(out, nil), m.transcript.View(m.state.Talk.Items, w, room, m.widths, now)...)
	}
	return view.Fill(out[:min(len(out), h)], h)
}

// welcomed says that there is more to show than what to do first: somebody said
// something, or looks at what is there.
func (m *Model) welcomed() bool {
	return m.transcript.Reading() || slices.ContainsFunc(m.state.Talk.Items, func(it *snap.Item) bool { return it.Kind != snap.Change })
}

// attention is what stands between transcript and composer: at most rows
// rows, of which an open question is the last to go.
func (m *Model) attention(w, rows int, now time.Time) []view.Line {
	notices := m.state.Notices
	if m.note != nil {
		notices = append(notices[:len(notices):len(notices)], *m.note)
	}
	window := status.Window(m.state.Terms, w, m.widths, now, m.o.Still)
	plan := status.Todo(m.state.Todo, w, m.widths)
	banners := status.Banners(m.state.Head, notices, m.listens(), w, m.widths)
	queue := status.Queue(m.state.Queued, w, m.widths)
	var waiting []view.Line
	if m.state.Question != nil && m.asks.answered.IsZero() {
		waiting = status.Waiting(m.state.Question, w, m.widths, now)
	}
	rows -= len(waiting) + len(window)
	banners = banners[:min(len(banners), max(0, rows))]
	rows -= len(banners)
	m.banners.drawn(m.letters(notices, len(banners)), now, m.frame.next)
	queue = queue[max(0, len(queue)-max(0, rows)):]
	rows -= len(queue)
	plan = plan[:min(len(plan), max(0, rows))]
	return slices.Concat(window, plan, banners, waiting, queue)
}

func (m *Model) hints(w int, now time.Time) view.Line {
	switch {
	case m.find.on():
		return m.hintRow(w, hint(safe.Lit("enter"), safe.Lit("find it, upwards")), hint(safe.Lit("esc"), safe.Lit("back")))
	case m.transcript.Reading():
		row := []picker.Hint{
			hint(safe.Lit("up down"), safe.Lit("choose")), hint(safe.Lit("enter"), safe.Lit("open")), hint(m.o.Keys.Key(keys.Find), safe.Lit("find")),
			hint(m.o.Keys.Key(keys.Copy), safe.Lit("copy")), hint(m.o.Keys.Key(keys.Pager), safe.Lit("all of it")), hint(safe.Lit("esc"), safe.Lit("back to the message")),
		}
		if m.transcript.Finding() {
			row = append([]picker.Hint{hint(safe.Lit("n N"), safe.Lit("next hit"))}, row...)
		}
		return m.hintRow(w, row...)
	case m.completion.shown != nil:
		return m.hintRow(w, hint(safe.Lit("up down"), safe.Lit("choose")), hint(safe.Lit("tab"), safe.Lit("take it")), hint(safe.Lit("esc"), safe.Lit("not now")))
	}
	newline := safe.Lit("ctrl+j")
	if m.enhanced {
		newline = safe.Lit("shift+enter")
	}
	return status.Hints(&m.state, w, m.widths, now, newline)
}

// hintRow is as many keys as fit, in their order. The last one, which goes
// back, always does.
func (m *Model) hintRow(w int, hints ...picker.Hint) view.Line {
	return picker.Hints(hints, w, m.widths)
}
