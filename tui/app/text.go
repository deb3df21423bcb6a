package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// text is the plain text of something, over the whole width and without marks
// beside it: to read through, and to select from with the mouse.
type text struct {
	title  safe.Text
	source string // what copying gives
	lines  []safe.Text

	top           int // logical line at the top
	height, width int
}

// openText shows the source of the chosen entry, or of the whole conversation.
func (m *Model) openText() {
	if it := m.transcript.Chosen(); it != nil {
		m.open(newText(safe.Lit("one entry"), source(it)))
		return
	}
	if len(m.state.Items) == 0 {
		m.warn("nothing was said yet", "")
		return
	}
	t := newText(safe.Lit("the conversation"), m.conversation())
	t.top = len(t.lines) // its end
	m.open(t)
}

// maxText is how much of a conversation is shown as plain text, in bytes.
const maxText = 4 << 20

// conversation is the end of it as text, at most maxText of it.
func (m *Model) conversation() string {
	var parts []string
	size := 0
	for i := len(m.state.Items) - 1; i >= 0 && size < maxText; i-- {
		it := m.state.Items[i]
		who := "pilot"
		switch it.Kind {
		case snap.You:
			who = "you"
		case snap.Tool:
			who = "call"
		case snap.Pilot:
		default:
			continue
		}
		part := who + ":\n" + source(it) + "\n"
		parts, size = append(parts, part), size+len(part)
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i] + "\n")
	}
	return b.String()
}

// source is an entry as it was written: what copying gives.
func source(it *snap.Item) string {
	if it.Kind != snap.Tool {
		if it.Body != "" {
			return it.Text + "\n\n" + it.Body
		}
		return it.Text
	}
	body := it.Call.Body
	if body == "" {
		body = it.Call.Output
	}
	return strings.TrimSpace(it.Call.Title + "\n\n" + body)
}

// newText shows a text. Every line of it is made visible, not the text.
func newText(title safe.Text, source string) *text {
	return &text{title: title, source: source, lines: safe.Lines(source)}
}

func (t *text) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	t.width, t.height = w, max(1, h-4)
	t.top = max(0, min(t.top, t.last(m.widths)))
	facts := safe.Join(safe.Lit("line "), safe.Int(min(t.top+1, len(t.lines))), safe.Lit(" of "), safe.Int(len(t.lines)))
	out := []view.Line{m.widths.Ends(view.Lit(theme.Title, t.title), view.Lit(theme.Dim, facts), w, 10), view.Rule(w)}
	for i := t.top; i < len(t.lines) && len(out) < h-2; i++ {
		out = append(out, m.widths.Wrap(view.Text(theme.Plain, t.lines[i]), w, 0)...)
	}
	out = view.Fill(out[:min(len(out), max(0, h-2))], max(0, h-2))
	keys := m.hintRow(w, pair{safe.Lit("y"), safe.Lit("send it to the clipboard")}, pair{safe.Lit("arrows pgup pgdown home end"), safe.Lit("scroll")}, pair{safe.Lit("esc"), safe.Lit("back")})
	return append(out, view.Rule(w), keys), nil
}

// last is the first line of the last full screen.
func (t *text) last(w view.Widths) int {
	rows, i := 0, len(t.lines)
	for i > 0 {
		rows += len(w.Wrap(view.Text(theme.Plain, t.lines[i-1]), max(1, t.width), 0))
		if rows > t.height {
			break
		}
		i--
	}
	return min(i, max(0, len(t.lines)-1))
}

func (t *text) paste(string) {}

func (t *text) key(m *Model, name string, _ uv.Key, _ time.Time) (tea.Cmd, bool) {
	switch name {
	case "up", "k":
		t.top--
	case "down", "j":
		t.top++
	case "pgup", "b":
		t.top -= max(1, t.height-1)
	case "pgdown", "space":
		t.top += max(1, t.height-1)
	case "home", "g":
		t.top = 0
	case "end", "G", "shift+g":
		t.top = len(t.lines)
	case "y":
		return m.copyText(t.source), true
	case "q":
		m.open(nil)
	default:
		return nil, false
	}
	return nil, true
}

// copyText sends a text to the terminal's clipboard. Nobody learns whether the
// terminal took it.
func (m *Model) copyText(text string) tea.Cmd {
	switch {
	case text == "":
		m.warn("there is nothing to copy", "")
		return nil
	case m.o.Copy == nil:
		m.warn("this terminal has no clipboard that we could write", "")
		return nil
	}
	m.say("sent to the terminal clipboard")
	if len(text) > maxCopied {
		m.warn("only the first 74 KB were sent to the terminal clipboard", "terminals take no more")
	}
	send := m.o.Copy
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		if err := send(text); err != nil {
			return did{"clipboard", err}
		}
		return nil
	}
}
