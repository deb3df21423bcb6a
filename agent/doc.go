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
// # Where to begin
//
// options.go is what a session is made of, session.go opens one, owner.go is the
// goroutine that owns its state, subscribe.go who looks on, asking.go the one
// question that is open, commands.go what a front end can send. turn.go is a turn,
// request.go what the model is sent, complete.go one request to it, stream.go
// what comes back, shrink.go what is left out. dispatcher.go is the road;
// verdict.go, question.go and again.go are its third step, heard.go and hooks.go
// those who are heard before, evidence.go and records.go what it states,
// results.go and frame.go what the model reads of it. reads.go takes several
// reads down the road side by side, jobs.go lets a command go on in the
// background, child.go starts a sub-agent; the files of undo, revise.go and
// remember.go are what a person can do about it.
//
// # Not promised
//
// What the rooms beneath promise: see agent/gate for decisions, ossandbox for
// commands, gitsafe for git, audit for evidence.
package agent
