// Package visible makes text that others wrote fit to be looked at: what a
// reader could not see, or would see as something else, becomes an escape.
//
// # Promised
//
// The result of Strict is one line of printable characters. A byte stands as
// <x1B> (ASCII controls, and bytes that are no UTF-8), a code point as
// <U+202E>: controls, format and bidi characters, tags, variation selectors,
// fillers and blanks, every space but the plain one, private and unassigned
// code points, emoji modifiers and regional indicators, a combining mark
// without a base, and the third and any later one on a base. A literal that
// looks like an escape has its bracket escaped, so that Strict is reversible:
// a test gives the bytes back, and no two texts come to the same.
//
// StrictLines and Source show text of many lines, and Prose shows answers; for
// reading, so they are not reversible. All take time linear in the text and
// allocate nothing when there is nothing to do.
//
// # Not promised
//
// That different characters look different: letters of two alphabets may share
// a shape, and white space at the end of a line is seen only by Source. That
// text of a right-to-left script is shown in its logical order: that is up to
// the terminal.
package visible
