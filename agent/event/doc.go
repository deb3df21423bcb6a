// Package event holds what passes between the session and its front ends, as
// values: Events go out, Commands and Answers come in, Questions are asked.
//
// An Event is numbered without a gap in the session's log; the transient ones
// (deltas of a stream, the head of the audit log) have number 0 and are not
// stored. Everything in an Event is already redacted; text in a Question's
// lines is already made visible. Nothing here decides anything.
//
// The package stands on agent/effect alone.
package event
