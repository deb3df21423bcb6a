package gate

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// An Offer is one thing that a question can offer to keep.
type Offer struct {
	event.Scope
	// File holds Scope.Rule, loaded in the session's layer: Rules.Add(File)
	// remembers it for this session. Nil for a grant.
	File *commandpolicy.File
	// Grant is the host to add to HostGrants, "" for a rule.
	Grant string
}

// Scopes lists what the question about d may offer to keep, from exact to
// general. Each of them was tried: with it, Decide allows in.Set. A raised
// question offers nothing, but for a fetch or a search its one host for this
// session.
func Scopes(in Input, d Decision) []Offer { return nil }

// WouldAllow is the smallest addition to policy.toml with which Decide would
// have allowed in.Set, ready to paste; "" where no rule could.
func WouldAllow(in Input, d Decision) string { return "" }
