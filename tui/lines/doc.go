// Package lines is the front end without a screen: one prefixed line per
// event, nothing redrawn. For pipes, for terminals that cannot move a cursor,
// and for screen readers.
//
// # Promised
//
// A question is printed as a whole, with a random code; only a line that
// begins with this code answers it, so that nothing typed before, and nothing
// that was not written for this very question, does. When nobody can answer
// any more, the answer is no.
//
// # Not promised
//
// That the terminal shows every line: there is no way to ask it here.
package lines
