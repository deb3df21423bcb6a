// Package undo keeps what calls changed in the workspace, so that it can be
// put back: content by its hash, and a journal of what stood at a path before
// and after each call. It knows no tools, asks nobody and changes nothing in
// the workspace: it plans, and the plan travels the road like any other call.
//
// # Promised
//
// What is planned restores exactly what the chosen calls changed. Where
// somebody else changed a path since, his change stays: text that does not
// touch the call's lines is merged, everything else is a conflict that is named
// and left alone. Content that comes back is held to its hash. A store that was
// cut off at any byte opens, and what a call did that never ended is found by
// looking and never guessed to be the call's alone.
//
// # Not promised
//
// Content that is larger than Limits.File, beyond Limits.Total or Limits.Files,
// of secret-like files, or in folders that git ignores is not kept; each record
// names what of it a call changed. What somebody else, another session among
// them, changes in the workspace while a command runs looks like the command's work: the plan shows it before
// anything is put back, and undoing the undo brings it back. Owners, extended
// attributes and hard links are not restored; modes, links and empty folders
// are.
package undo
