package app

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// An inline is what stands in the terminal's own scrollback, in inline mode. The
// renderer inserts lines above the frame by scrolling the screen: that loses rows
// when lines and frame are more than the screen has. So the frame leaves room,
// lines go there a few at a time, and none while a list, a question or what is
// read has the whole screen.
type inline struct {
	printed int           // entries that stand there
	rows    int           // of the frame that was drawn last
	at      time.Time     // from when on the terminal has a frame that leaves room
	pause   time.Duration // until it is looked again whether it does
}

// drawn is how long a frame may take from View to the terminal.
const drawn = 80 * time.Millisecond

// maxAbove is how many entries of a session that is gone on with are printed.
const maxAbove = 200

// above is how many rows of a screen the frame leaves to what is printed.
func (in *inline) above(height int) int { return max(1, height/3) }

// below is the frame: what is under way, what needs attention, the message.
func (m *Model) below(w, h int, now time.Time) ([]view.Line, *view.Cell) {
	bottom, caret := m.bottom(w, h, now)
	var lines []view.Line
	for _, it := range m.state.Talk.Items[min(m.inline.printed, len(m.state.Talk.Items)):] {
		lines = append(lines, nil)
		lines = append(lines, transcript.Draw(it, w, m.widths, now)...)
	}
	lines = append(lines[max(0, len(lines)-max(0, h-len(bottom)-1)):], nil)
	if caret != nil {
		caret.Y += len(lines)
	}
	return append(lines, bottom...), caret
}

// waiting says that something is finished and not printed yet, and may be soon.
func (m *Model) waiting() bool {
	return m.o.Inline && m.width > 0 && m.asks.focused() == nil && m.panel == nil && !m.transcript.Reading() &&
		m.inline.printed < len(m.state.Talk.Items) && finished(m.state.Talk.Items[m.inline.printed])
}

func finished(it *snap.Item) bool { return !it.Open && (it.Kind != snap.Tool || it.Call.Done) }

// print hands finished entries to the scrollback.
func (m *Model) print(now time.Time) tea.Cmd {
	in := &m.inline
	room := min(m.height-in.rows, in.above(m.height))
	switch {
	case !m.waiting():
		return nil
	case room < 1:
		in.pause = min(max(drawn, 2*in.pause), time.Minute) // a very small screen has none
		in.at = now.Add(in.pause)
		return nil
	case now.Before(in.at):
		return nil
	}
	in.pause = 0
	var cmds []tea.Cmd
	for lines := range slices.Chunk(m.newlyFinished(now), room) {
		cmds = append(cmds, tty.Above(lines))
	}
	return tea.Sequence(cmds...)
}

// newlyFinished are the rows of the entries that are to be printed.
func (m *Model) newlyFinished(now time.Time) []string {
	in := &m.inline
	var out []string
	if n := len(m.state.Talk.Items) - maxAbove; in.printed == 0 && n > 0 {
		in.printed = n
		left := view.Lit(theme.Dim, safe.Join(safe.Lit(" --   "), safe.Int(n), safe.Lit(" earlier entries are not printed again: pgup reads them here, esc comes back")))
		out = append(out, m.widths.Draw(m.theme, m.widths.Cut(left, m.width-1), m.width-1))
	}
	for ; in.printed < len(m.state.Talk.Items) && finished(m.state.Talk.Items[in.printed]); in.printed++ {
		it := m.state.Talk.Items[in.printed]
		if in.printed == 0 || transcript.Parts(m.state.Talk.Items[in.printed-1], it) {
			out = append(out, "")
		}
		// The renderer erases behind each line: a full one would lose its end.
		for _, l := range transcript.Draw(it, m.width-1, m.widths, now) {
			out = append(out, m.widths.Draw(m.theme, l, m.width-1))
		}
	}
	return out
}
