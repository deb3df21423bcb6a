// Package agent is the session and the one road that every side effect takes.
//
// # Promised
//
// A tool runs in one place, Dispatcher.perform, and only after its effects were
// planned, decided about, answered for where a person had to be asked, written
// to the audit log, and planned and decided about once more with the same
// result. No answer, a wrong answer, a late answer and a lost front end all
// deny. If the audit log cannot take the intent, nothing happens.
//
// One goroutine owns the state of a session, and the state is the fold of its
// events. A front end sends Commands and reads Events; there is no other way
// in.
//
// # Not promised
//
// What the rooms beneath promise: see agent/gate for decisions, ossandbox for
// commands, gitsafe for git, audit for evidence.
package agent
