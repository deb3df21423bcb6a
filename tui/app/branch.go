package app

import tea "charm.land/bubbletea/v2"

// branch is the name of the branch that is checked out.
type branch string

// lookAtBranch asks which branch is checked out: it is in the title, and a turn
// or a person can have changed it.
func (m *Model) lookAtBranch() tea.Cmd {
	look := m.o.Desk.Branch
	if look == nil {
		return nil
	}
	return query(wantBranch, func() (branch, error) {
		name, err := look()
		return branch(name), err
	})
}
