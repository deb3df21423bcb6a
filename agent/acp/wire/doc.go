// Package wire is JSON-RPC 2.0 over a pair of pipes, one object a line, for a
// peer that is not trusted. It knows nothing of what is said.
//
// # Promised
//
// A line is at most MaxLine bytes; a longer one is skipped up to its end and
// answered as invalid, and the connection lives on. What is no JSON, no object,
// or not version 2.0 is answered with the code of the specification and never
// handled. Names of members count as they are written, and an object that has
// one twice is refused: there is one reading of a message.
//
// Requests and notifications are handled one after the other, in the order in
// which they came. An answer of the peer is taken once, and only for a call
// that waits; the ids of our calls cannot be guessed. When the peer is gone,
// every call that waits fails. What was queued for the peer leaves in that
// order; who queues more than the peer reads has to wait.
//
// # Not promised
//
// That the peer ever reads or answers: whoever calls sets a time limit.
package wire
