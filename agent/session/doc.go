// Package session keeps sessions: an append-only log of events per session on
// disk, and the State that the events fold to.
//
// # Promised
//
// State changes in Apply alone, which is pure: folding the log gives the live
// state after every event. A log survives the death of its process at any
// moment; a torn last line is cut off, kept beside the log and reported. One
// process writes a session at a time; others may read it.
//
// # Not promised
//
// Evidence. The log is not signed and can be deleted: that is the audit log's
// work (docs/contracts.md, section 6).
package session
