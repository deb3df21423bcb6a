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
package app
