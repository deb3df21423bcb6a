package main

import (
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/internal/trust"
)

// rules are the person's own rules, without any project's: for what only looks
// whether they can be used.
func (a *app) rules(state string) (gate.Rules, error) { return rulebook.Book{State: state}.Rules() }

// handBook is the book of rules for what is asked by hand in a workspace: the
// person's own and the project's, of which those that loosen count where just
// they were let in. done gives the folder back.
func (a *app) handBook(state, workspace string) (b rulebook.Book, done func() error, err error) {
	b, done = rulebook.Book{State: state}, func() error { return nil }
	if a.flags.ignoreProjectConfig || workspace+"/.tera_pilot" == state {
		return b, done, nil
	}
	if b.Project, err = trust.Open(workspace); err != nil {
		return b, done, err
	}
	s, err := trust.NewStore(state).Look(b.Project, rulebook.Items)
	if err != nil {
		return b, done, errors.Join(err, b.Project.Close())
	}
	b.Grant = s.Grant
	return b, b.Project.Close, nil
}
