// Package audit keeps the evidence: an append-only, signed, hash-chained log
// of what was decided and what was done, which a second machine can check with
// nothing but a public key of 37 bytes.
//
// # Use
//
//	log, err := audit.Open(ctx, audit.Options{Dir: stateFolder})
//	s, err := log.Session(ctx, audit.SessionInfo{Front: audit.FrontRun, …})
//	tok, err := s.Intent(ctx, audit.Intent{…})  // durable when it returns
//	…                                           // only now the effect
//	err = s.Outcome(tok, audit.Outcome{Status: audit.OK})
//	err = s.Close(audit.CloseOK)
//
// # Promised
//
// When Intent returns a Token, the intent is on the disk, signed and chained.
// When it returns an error there is no Token, and no effect may happen. After
// a failed write or a failed sync every later call fails: see [StoppedError].
// A crash loses no acknowledged intent; what it tears is kept and stated.
//
// Verify finds every edit, deletion, insertion, reordering, splice and cut
// tail of an export made by somebody who has not the keys, and, with an
// anchor, a rollback to an older copy. Whoever steals the key on disk can
// change neither earlier sessions nor the records of the running ones.
//
// Members that may hold secrets (arguments, output, what the gate was given)
// are salted commitments; every text passes the redactor before it is hashed.
//
// # Not promised
//
// That the agent tells the truth: a patched binary or a debugger can lie in
// new records. That a stolen key is useless: with it sessions can be forged from
// then on, and the live log can be cut back to its last open; an anchor shows
// that. That an older but genuine copy is recognised without a head
// that was remembered elsewhere. That time stamps are true: the order is
// fixed, the clock is only claimed. Anything about disks that acknowledge a
// sync and then forget.
//
// The format is described in docs/audit-format.md, from which
// contrib/verify/verify.py was written.
package audit
