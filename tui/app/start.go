package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// startKey handles a key of the start screen, and ends it with what was chosen.
func (m *Model) startKey(in tty.Input, name string, k uv.Key, now time.Time) tea.Cmd {
	switch {
	case m.start.Leaves(name):
		return tea.Quit
	case (name == "?" || name == "f1") && !m.start.Typing():
		m.open(&help{})
		return nil
	}
	choice := m.start.Key(name, k, in.Followed)
	switch id := choice.ID; {
	case id == "":
		return nil
	case id == "sessions" && m.o.Desk.Sessions != nil:
		return m.do(keys.Sessions, now)
	case id == "doctor" && m.o.Desk.Checks != nil:
		return m.openChecks()
	case id == "refresh" && m.o.Refresh != nil:
		return m.refresh()
	default:
		m.end.chosen = choice
		return tea.Quit
	}
}

// look shows what was found before there is a session.
func (m *Model) look(s snap.Start) {
	if m.start != nil {
		m.start.Set(s)
		m.state.Look(s)
	}
}

// refresh looks again at what is around.
func (m *Model) refresh() tea.Cmd {
	look := m.o.Refresh
	if look == nil || m.start == nil {
		return nil
	}
	return apart(func() (snap.Start, error) { return look(), nil }, func(m *Model, found snap.Start, _ error) tea.Cmd {
		m.look(found)
		return nil
	})
}
