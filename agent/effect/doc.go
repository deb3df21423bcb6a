// Package effect is the vocabulary in which the gate, the question, the log,
// undo and the sandbox speak of what a tool call would do to the world.
//
// # Promised
//
// A Set is a complete, resolved description: the bytes to be written, the
// argv, the folder, the environment are fixed when it is planned and nothing
// recomputes them later. Two sets with the same Digest do the same thing.
// The zero Kind is Unknown, and nobody may allow it.
//
// # Not promised
//
// That the description is true: View (agent/tool) makes it from what it sees,
// and the dispatcher makes it again right before the run and compares digests.
//
// The package is a leaf: it imports the standard library alone.
package effect
