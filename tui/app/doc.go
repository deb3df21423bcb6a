// Package app is the root of the terminal front end: one Bubble Tea model that
// routes events to the state, keys to rooms, and answers to the session.
//
// # Promised
//
// It decides nothing: it sends Commands and shows Events. There is no input or
// output in Update; the same state, size and time give the same frame. View
// returns the frame of before when nothing changed, so that an idle program
// writes nothing.
//
// # Not promised
//
// That a command is carried out.
//
// # The way of a key
//
//	tty.Source      bytes, and when they came: an Input
//	Model.key       to what lies on top: a question, the panel, the start
//	                screen, a search, an entry that is read, the message
//	room            becomes another, or asks for a command
//	Options.Send    hands it to the session; the loop waits for nobody
//	Events          what the session says, of 33 ms: snap.State.Apply
//	Model.follow    has a room for the question that is open now
//	Model.settle    what time alone brings: a question arms, takes the focus
//	Model.compose   state, rooms, size and time: a view.Frame
//	tty.Gate        writes what is on its list, and asks for proof of the frame
//
// What takes its time (the session's log, the disk, an editor, the clipboard) is
// asked apart, and comes back as an answer that carries what is to be done with
// it (outside.go).
package app
