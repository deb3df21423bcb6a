package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/keys"
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
	paste(m *Model, text string) tea.Cmd
	writing() bool // something is being written into it, such as a search
}

// A list is a panel of rows to choose from: what such panels have in common.
type list struct{ room picker.Room }

func (p *list) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	return p.room.View(w, h, m.widths)
}

func (p *list) paste(_ *Model, text string) tea.Cmd {
	p.room.Paste(text)
	return nil
}

func (p *list) writing() bool { return p.room.Find() != "" }

// open shows a panel; nil is the conversation.
func (m *Model) open(p panel) {
	m.panel = p
	m.frame.dirty = true
}

// openLate shows a panel that took its time, unless the person is elsewhere by
// now; false when it is not shown.
func (m *Model) openLate(p panel) bool {
	if m.panel != nil || m.asks.focused() != nil {
		return false
	}
	m.open(p)
	return true
}

// still is take, unless the panel that asked was left meanwhile.
func still[T any](p panel, take func(*Model, T, error) tea.Cmd) func(*Model, T, error) tea.Cmd {
	return func(m *Model, got T, err error) tea.Cmd {
		if m.panel != p {
			return nil
		}
		return take(m, got, err)
	}
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
	return m.do(m.o.Keys.Of(keys.Anywhere, name), now)
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
