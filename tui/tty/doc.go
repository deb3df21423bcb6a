// Package tty stands between the program and the terminal.
//
// # Promised
//
// Gate, below the renderer: only printable text and a fixed list of sequences
// reach the terminal; anything else becomes a question mark and is counted.
// None on the list makes a terminal answer but the queries that the program
// itself makes, and none sets a title, a clipboard or a colour of the palette.
//
// Source, before the decoder: every key carries the time at which its bytes
// were read, and whether they came alone. It reads at once and keeps what the
// program has no time for, so that the time is true.
//
// Fences: a frame that carries a number is followed by a question to which
// every terminal has an answer; the answer proves that the terminal had the
// frame.
//
// # Not promised
//
// That a terminal understands the sequences on the list, or that a person
// looks at it.
package tty
