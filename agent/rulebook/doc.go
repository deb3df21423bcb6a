// Package rulebook reads the files of rules that are in force, and keeps what
// the person chose to remember.
//
// # Promised
//
//   - A file with a fault is an error that names file and line; it is never a
//     file without rules. So is one that is a link, belongs to somebody else or
//     that others may write.
//   - A project's rules that tighten are in force at once; those that loosen
//     only where the grant lets just these bytes in.
//   - What is remembered is written whole or not at all, with the mode 0600,
//     after the witness has said yes to it, and read back by the same loader
//     that will read it after a restart. It counts in its workspace, at no
//     weaker sandbox than the one it was granted at, and until it expires.
//
// # Not promised
//
//   - Whoever can write our state folder writes rules.
package rulebook
