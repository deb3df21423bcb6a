package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// edit writes the message in the person's editor.
func (m *Model) edit() tea.Cmd {
	return m.toEditor("message.md", m.composer.Text(), func(m *Model, text string, _ time.Time) tea.Cmd {
		m.composer.Set(strings.TrimRight(text, "\n"))
		return nil
	})
}

// editProposal edits what a question proposes. What comes back is no answer:
// it asks for another version, which is asked about anew.
func (m *Model) editProposal(r *ask.Room, p event.Proposal) tea.Cmd {
	name := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
	if p.Path == "" {
		name = "command.sh"
	}
	return m.toEditor(name, p.Text, func(m *Model, text string, now time.Time) tea.Cmd {
		if r != m.asks.open || !r.Focused() {
			m.warn("the question was closed meanwhile", "what was edited is dropped")
			return nil
		}
		return m.outcome(r, r.Edited(p, text, now), now)
	})
}

// toEditor gives a text to the person's editor, and take what was saved. Nothing
// is sent or allowed by that, and a question arms anew.
func (m *Model) toEditor(name, text string, take func(*Model, string, time.Time) tea.Cmd) tea.Cmd {
	if m.o.Desk.Edit == nil {
		m.warn("there is no editor here", "")
		return nil
	}
	open := m.o.Desk.Edit
	return apart(func() (Editing, error) { return open(name, text) }, func(m *Model, e Editing, err error) tea.Cmd {
		if err != nil {
			m.warn(err.Error(), "")
			return nil
		}
		return tty.Run(e, func(err error) tea.Msg {
			text, read := e.Text()
			if err == nil {
				err = read // else the editor's own word is what counts
			}
			return answer(func(m *Model) tea.Cmd { return m.back(text, err, take) })
		})
	})
}

// back takes what the editor left.
func (m *Model) back(text string, err error, take func(*Model, string, time.Time) tea.Cmd) (cmd tea.Cmd) {
	now := m.o.Now()
	m.disturb(now)
	m.person.did(now)
	if err != nil {
		m.warn(err.Error(), "all stays as it was")
	} else {
		cmd = take(m, text, now)
	}
	return tea.Batch(cmd, tea.ClearScreen) // nobody knows what the editor left on it
}
