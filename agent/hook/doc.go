// Package hook reads what the user, and a trusted project, want to be started
// at events of a session, and the answers that those programs give.
//
// # Promised
//
// A hook can veto a call or a turn, send a call to a person, and add text for
// the model. There is no answer that admits anything, and whatever is not one
// JSON object of the known form is a failure, which vetoes. A hook is its text:
// the bytes that were read, and not a file that could change, are what runs.
//
// # From whom
//
// From a program that misbehaves, from whoever can write to a repository, and
// from a model that would like a hook not to run.
//
// # Not promised
//
// That a hook sees what a command really does: it is told what is planned.
// Starting and confining it is the caller's work (agent, agent/world).
//
// The package starts nothing and opens nothing.
package hook
