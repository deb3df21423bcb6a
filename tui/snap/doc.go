// Package snap is what the screens know of a session: the fold of its events.
//
// # Promised
//
// Apply changes nothing but the State it is given, decides nothing and does no
// input or output. Whatever an event holds, what the State keeps of a stream
// is bounded. An Item's Rev grows with every change, so that what was drawn of
// it can be kept as long as Rev stays.
//
// # Not promised
//
// That the text in it is fit for a terminal: it is what others wrote, and
// views take it through tui/safe.
package snap
