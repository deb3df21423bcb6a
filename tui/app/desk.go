package app

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A Desk is what the terminal may ask of the program around it, besides the
// session: lists to choose from, and acts on what is stored. Each function may
// block and is called off the loop. One that is nil is not there, and whatever
// needs it says so.
type Desk struct {
	Sessions func() ([]snap.SessionRow, error)
	Search   func(text string) ([]snap.SessionHit, error) // in what was said and done
	Rename   func(id, title string) error
	Archive  func(id string, archived bool) error
	Delete   func(id string) error
	Fork     bool // requests to fork are carried out

	Models func() ([]snap.ModelRow, error)
	Files  func() ([]string, error) // of the workspace, as the model names them
	Checks func() ([]snap.CheckRow, error)
	Rules  func() ([]snap.RuleRow, error) // that were remembered
	Said   func() ([]string, error)       // what was said before in this folder, oldest first

	Branch func() (string, error)            // that is checked out in the workspace, "" for none
	WhatIf func(rule string) (string, error) // what the log's decisions would be with one more rule, in words

	// Edit makes ready an editor for a text; the end of name says what kind of
	// text it is.
	Edit func(name, text string) (Editing, error)
}

// An Editing is an editor that is about to be started on the terminal: tea.Exec
// runs it, and Text reads what was saved. Text also clears up.
type Editing interface {
	tea.ExecCommand
	Text() (string, error)
}

// found is the answer of a Desk function: for the panel that asked.
type found struct {
	what string // of the request; a stale answer fits no panel
	rows any
	err  error
}

// query calls a function of the desk off the loop.
func query[T any](what string, f func() (T, error)) tea.Cmd {
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		rows, err := f()
		return found{what, rows, err}
	}
}

// did is how an act of the desk ended.
type did struct {
	what string
	err  error
}

// act carries something out off the loop; the panel then looks again.
func act(what string, f func() error) tea.Cmd {
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		return did{what, f()}
	}
}

// warn says what went wrong, and the next step.
func (m *Model) warn(text, hint string) {
	m.note = &event.Notice{Severity: "warn", Text: text, Hint: hint}
}

// say says what was done.
func (m *Model) say(text string) { m.note = &event.Notice{Severity: "info", Text: text} }

// arrived hands an answer of the desk to who asked.
func (m *Model) arrived(msg found) tea.Cmd {
	if msg.err != nil {
		m.warn(fmt.Sprintf("%s: %v", msg.what, msg.err), "")
	}
	switch rows := msg.rows.(type) {
	case []snap.SessionRow:
		if p, ok := m.panel.(*sessions); ok {
			p.set(m, rows)
		}
	case []snap.SessionHit:
		if p, ok := m.panel.(*sessions); ok {
			return p.hit(m, msg.what, rows)
		}
	case []snap.ModelRow:
		if p, ok := m.panel.(*models); ok {
			p.set(m, rows)
		}
	case []snap.CheckRow:
		if p, ok := m.panel.(*checks); ok {
			p.set(rows)
		}
	case []snap.RuleRow:
		if p, ok := m.panel.(*rules); ok {
			p.set(rows)
		}
	case string:
		if msg.err == nil && m.panel == nil && m.asking() == nil {
			t := newText(safe.Lit("the conversation"), rows)
			t.top = len(t.lines) // its end
			m.open(t)
		}
	case whatIfReport:
		if msg.err == nil && m.panel == nil && m.asking() == nil {
			m.note = nil
			m.open(newText(safe.Lit("what the rule would have done"), string(rows)))
		}
	case branch:
		m.state.Session.Branch = string(rows)
	case []string:
		if msg.what == wantFiles {
			m.files.asked = false
			if msg.err == nil {
				m.files.list = append([]string{}, rows...) // not nil, though there may be none
			}
			m.offer(m.composer.Word())
		} else {
			m.composer.Before(rows)
		}
	}
	return nil
}

// What is asked of the desk.
const (
	wantFiles = "files"
	wantSaid  = "earlier messages"
	wantText  = "the conversation"

	wantWhatIf = "what the rule would have done"
	wantBranch = "the branch"
)

// finished tells how an act ended, and has its list looked at again.
func (m *Model) finished(msg did) tea.Cmd {
	if msg.err != nil {
		m.warn("not done: "+msg.err.Error(), "")
		return nil
	}
	m.say(msg.what)
	if p, ok := m.panel.(*sessions); ok {
		return p.load(m)
	}
	return nil
}
