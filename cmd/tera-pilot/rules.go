package main

import (
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
)

// rules are the person's own rules, without any project's: for what only looks
// whether they can be used.
func (a *app) rules(state string) (gate.Rules, error) { return rulebook.Book{State: state}.Rules() }
