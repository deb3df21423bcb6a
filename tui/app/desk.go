package app

import (
	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
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

// warn says what went wrong, and the next step.
func (m *Model) warn(text, hint string) {
	m.note = &event.Notice{Severity: "warn", Text: text, Hint: hint}
}

// say says what was done.
func (m *Model) say(text string) { m.note = &event.Notice{Severity: "info", Text: text} }

// lookAtBranch asks which branch is checked out: it is in the title, and a turn
// or a person can have changed it.
func (m *Model) lookAtBranch() tea.Cmd {
	if m.o.Desk.Branch == nil {
		return nil
	}
	return query("the branch", m.o.Desk.Branch, func(m *Model, name string, _ error) tea.Cmd {
		m.state.Session.Branch = name
		return nil
	})
}
