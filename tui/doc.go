// Package tui is the terminal front end: a full screen, a screen below the
// shell's lines (inline), or plain lines for pipes and screen readers.
//
// # Promised
//
// To the person, against models, tools and files that lie: what a question
// shows is what the core would do, in full; no key, paste, click or line that
// was meant for something else answers it; nothing that others wrote reaches
// the terminal but as printable text; and the terminal is left as it was found,
// also after a panic or a signal.
//
// # Not promised
//
// Decisions: the front end makes none, it sends Commands and shows Events.
// That a person reads what is shown. Protection against other programs that
// write to the same terminal or read its keys.
package tui
