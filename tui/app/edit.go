package app

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// A draft is a text that goes to the person's editor: the message, or the
// proposal of a question.
type draft struct {
	name, text string
	room       *ask.Room // nil for the message, and a rule
	proposal   event.Proposal
	rule       bool // a rule that is to be tried
}

// editing says that the editor can be started; edited, what it left.
type (
	editing struct {
		d   draft
		e   Editing
		err error
	}
	edited struct {
		d    draft
		text string
		err  error
	}
)

// edit writes the message in the person's editor.
func (m *Model) edit() tea.Cmd {
	return m.toEditor(draft{name: "message.md", text: m.composer.Text()})
}

// editProposal edits what a question proposes. What comes back is no answer:
// it asks for another version, which is asked about anew.
func (m *Model) editProposal(r *ask.Room, p event.Proposal) tea.Cmd {
	name := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
	if p.Path == "" {
		name = "command.sh"
	}
	return m.toEditor(draft{name: name, text: p.Text, room: r, proposal: p})
}

func (m *Model) toEditor(d draft) tea.Cmd {
	if m.o.Desk.Edit == nil {
		m.warn("there is no editor here", "")
		return nil
	}
	open := m.o.Desk.Edit
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		e, err := open(d.name, d.text)
		return editing{d, e, err}
	}
}

func (m *Model) startEditor(msg editing) tea.Cmd {
	if msg.err != nil {
		m.warn(msg.err.Error(), "")
		return nil
	}
	return tty.Run(msg.e, func(err error) tea.Msg {
		text, read := msg.e.Text()
		if err != nil {
			read = nil // the editor's own word is what counts
		}
		return edited{msg.d, text, errors.Join(err, read)}
	})
}

// back takes what the editor left. Nothing is sent or allowed by that, and a
// question arms anew.
func (m *Model) back(msg edited, now time.Time) {
	m.disturb(now)
	m.input = now
	switch {
	case msg.err != nil:
		m.warn(msg.err.Error(), "all stays as it was")
	case msg.d.rule:
		m.after = m.tryRule(msg.d.text, msg.text)
	case msg.d.room == nil:
		m.composer.Set(strings.TrimRight(msg.text, "\n"))
	case msg.d.room == m.ask && m.ask.Focused():
		m.outcome(m.ask, m.ask.Edited(msg.d.proposal, msg.text, now), now)
	default:
		m.warn("the question was closed meanwhile", "what was edited is dropped")
	}
}
