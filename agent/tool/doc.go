// Package tool holds the tools that a model may call, by the names of the
// original, and the interfaces through which they see and touch the world.
//
// # Promised
//
// A tool cannot touch the machine by itself. Plan looks through a View and
// returns the effects that Run would have, resolved and complete: the bytes to
// be written, the argv, the folder. Run does them through an Env, which the
// dispatcher makes from one grant for one call, and which refuses every effect
// that the grant does not cover. The package imports nothing that reaches a
// file, a process or the network (a test holds it to a list).
//
// # Not promised
//
// That a planned effect is wise, or allowed: agent/gate decides.
package tool
