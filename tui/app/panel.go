package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A panel is a room that takes the screen in the place of the conversation,
// until it is left. A question that takes the focus lies above it.
type panel interface {
	// key handles a key, and is false for one that it has no use for.
	key(m *Model, name string, k uv.Key, now time.Time) (tea.Cmd, bool)
	view(m *Model, w, h int, now time.Time) ([]view.Line, *view.Cell)
	paste(text string)
}

// open shows a panel; nil is the conversation.
func (m *Model) open(p panel) {
	m.panel, m.activity = p, nil
	m.dirty = true
}

// panelKey gives a key to the panel, then to what counts anywhere. esc leaves.
func (m *Model) panelKey(name string, k uv.Key, now time.Time) tea.Cmd {
	if cmd, ok := m.panel.key(m, name, k, now); ok {
		return cmd
	}
	if name == "esc" {
		m.open(nil)
		return nil
	}
	return m.do(m.keys.Of(keys.Anywhere, name), now)
}

// panelView draws the panel, with the open question and what went wrong
// beneath it.
func (m *Model) panelView(w, h int, now time.Time) ([]view.Line, *view.Cell) {
	below := m.attention(w, 2, now)
	lines, caret := m.panel.view(m, w, max(1, h-len(below)), now)
	return append(lines, below...), caret
}

// do carries out an action, wherever the person is.
func (m *Model) do(a keys.Action, now time.Time) tea.Cmd {
	switch a {
	case keys.Palette:
		m.open(newPalette(m))
	case keys.Prompt, keys.Review:
		m.open(nil)
		m.focus(now)
	case keys.Activity:
		m.open(nil)
		return m.openActivity()
	case keys.Sessions:
		p := newSessions()
		m.open(p)
		return p.load(m)
	case keys.Undo:
		m.openUndo()
	case keys.Models:
		return m.openModels()
	case keys.Select:
		return m.openText()
	case keys.Help:
		m.open(&help{})
	}
	return nil
}

// hint is a key of a list and what it does.
func hint(press, does safe.Text) picker.Hint { return picker.Hint{Press: press, Does: does} }

// sure asks in a question of our own, with a code, before what cannot be taken
// back; yes is then done.
func (m *Model) sure(title string, lines []string, now time.Time, yes func() tea.Cmd) {
	q := ownQuestion(title, lines, m.o.Code())
	m.own, m.ownYes = ask.New(q, m.o.By), yes
	m.own.Focus(now)
}
