package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tty"
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
func (m *Model) openText() tea.Cmd {
	if it := m.transcript.Chosen(); it != nil {
		if it.Told == nil {
			m.warn(beingRead, "")
			return nil
		}
		m.open(newText(safe.Lit("one entry"), source(it.Told, it.Kind)))
		return nil
	}
	if len(m.state.Talk.Items) == 0 {
		m.warn("nothing was said yet", "")
		return nil
	}
	return m.conversation()
}

// beingRead says that an entry is on its way from the session's log.
const beingRead = "this entry is still being read from the session's log"

// copyEntry copies the source of the chosen entry.
func (m *Model) copyEntry() tea.Cmd {
	it := m.transcript.Chosen()
	if it.Told == nil {
		m.warn(beingRead, "")
		return nil
	}
	return m.copyText(source(it.Told, it.Kind))
}

// maxText is how much of a conversation is shown as plain text, in bytes.
const maxText = 4 << 20

// A part is one entry of the conversation as text, or where it has to be read.
type part struct {
	rested snap.Rested
	text   string // "" when it rests
}

// conversation shows the end of it as text, at most maxText of it.
func (m *Model) conversation() tea.Cmd {
	var parts []part // newest first
	size := 0
	for i := len(m.state.Talk.Items) - 1; i >= 0 && size < maxText; i-- {
		it := m.state.Talk.Items[i]
		if spoken(it.Kind) == "" {
			continue
		}
		p := part{}
		var rests bool
		if p.rested, rests = m.state.Talk.Rested(i); !rests {
			p.text = entry(it.Told, it.Kind)
		}
		size += len(p.text)
		parts = append(parts, p)
	}
	recall := m.o.Recall
	return query("the conversation", func() (string, error) { return joined(parts, recall) }, func(m *Model, all string, err error) tea.Cmd {
		if t := newText(safe.Lit("the conversation"), all); err == nil {
			t.top = len(t.lines) // its end
			m.openLate(t)
		}
		return nil
	})
}

// joined is the parts in their order, with those at rest read from the log.
func joined(parts []part, recall func([]uint64) ([]event.Event, error)) (string, error) {
	size := 0
	for i := range parts {
		if size >= maxText {
			parts = parts[:i]
			break
		}
		if p := &parts[i]; p.text == "" {
			says, err := tell([]snap.Rested{p.rested}, recall)
			if err != nil {
				return "", err
			}
			p.text = entry(says[0], p.rested.Kind)
		}
		size += len(parts[i].text)
	}
	var b strings.Builder
	for _, p := range slices.Backward(parts) {
		b.WriteString(p.text + "\n")
	}
	return b.String(), nil
}

// spoken is who an entry is from, "" for one that is no part of what was said.
func spoken(k snap.Kind) string {
	switch k {
	case snap.You:
		return "you"
	case snap.Pilot:
		return "pilot"
	case snap.Tool:
		return "call"
	default:
		return ""
	}
}

func entry(t *snap.Told, k snap.Kind) string { return spoken(k) + ":\n" + source(t, k) + "\n" }

// source is an entry as it was written: what copying gives.
func source(it *snap.Told, k snap.Kind) string {
	if k != snap.Tool {
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
	atEnd := t.height > 0 && t.top >= t.last(m.widths) // it stays there at another size
	t.width, t.height = w, max(1, h-4)
	if t.top = max(0, min(t.top, t.last(m.widths))); atEnd {
		t.top = t.last(m.widths)
	}
	facts := safe.Join(safe.Lit("line "), safe.Int(min(t.top+1, len(t.lines))), safe.Lit(" of "), safe.Int(len(t.lines)))
	out := []view.Line{m.widths.Ends(view.Lit(theme.Title, t.title), view.Lit(theme.Dim, facts), w, 10), view.Rule(w)}
	for i := t.top; i < len(t.lines) && len(out) < h-2; i++ {
		out = append(out, m.widths.Wrap(view.Text(theme.Plain, t.lines[i]), w, 0)...)
	}
	out = view.Fill(out[:min(len(out), max(0, h-2))], max(0, h-2))
	keys := m.hintRow(w, hint(safe.Lit("y"), safe.Lit("send it to the clipboard")), hint(safe.Lit("arrows pgup pgdown home end"), safe.Lit("scroll")), hint(safe.Lit("esc"), safe.Lit("back")))
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

func (t *text) paste(*Model, string) tea.Cmd { return nil }

func (t *text) writing() bool { return false }

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
	if len(text) > tty.MaxCopy {
		m.warn("only the first 74 KB were sent to the terminal clipboard", "terminals take no more")
	}
	send := m.o.Copy
	return act(func() error { return send(text) }, nil)
}
