// Package world is View and Env (agent/tool) over the real machine: files
// beneath the root, commands in the sandbox, git through gitsafe.
//
// # Promised
//
// A View changes nothing, and starts no process but git's own reading of its
// configuration, through gitsafe. An Env does what one grant covers: the grant
// holds the completed effects and the audit log's token for exactly their
// digest, and every method compares the effect that it is given with them. A
// token whose intent is not on the disk, or whose outcome has been written,
// covers nothing.
//
// # Not promised
//
// What the rooms beneath promise: internal/roots for files, ossandbox for
// commands, gitsafe for git.
package world
