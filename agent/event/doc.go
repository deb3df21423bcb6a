// Package event holds what passes between the session and its front ends, as
// values: Events go out, Commands and Answers come in, Questions are asked.
//
// An Event is numbered without a gap in the session's log; the transient ones
// (deltas of a stream, the head of the audit log) have number 0 and are not
// stored. Everything in an Event is already redacted; text in a Question's
// lines is already made visible. Nothing here decides anything.
//
// # Undo, for a front end that shows it
//
// ListUndo is answered with the transient UndoPoints (newest first: what each
// call changed, what stands in the way of taking it back now). Undo with Dry is
// answered with an UndoPlan (the diff as lines). Undo without Dry does it: a
// CallStarted, CallDecided and CallResult of the tool "undo" follow, whose
// Undone names the calls that were taken back; afterwards ask again for the
// points. {Call: id} undoes one, {Call: id, Down: true} also all after it; the
// Call of an undo is its redo.
//
// The package stands on agent/effect alone.
package event
