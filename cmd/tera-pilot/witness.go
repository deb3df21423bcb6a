package main

import "github.com/tera-pilot/tera-pilot/internal/statedir"

// A witness is whether commits in one repository bear the head of the audit
// log: the setting's word, else what the person was asked once.
type witness struct {
	setting string // "" or ask, always, never
	root    string
	answers statedir.Answers
}

// Wanted implements agent.Witness.
func (w witness) Wanted() (yes, known bool, err error) {
	switch w.setting {
	case "always":
		return true, true, nil
	case "", "ask":
		return w.answers.Get(w.root)
	default:
		return false, true, nil
	}
}

// Keep implements agent.Witness.
func (w witness) Keep(yes bool) error { return w.answers.Put(w.root, yes) }
