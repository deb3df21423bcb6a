// Package mcpserver is tera-pilot as a server of the Model Context Protocol on
// stdio: a front end whose calls come from a program instead of a model.
//
// # Promised
//
// Every call is a turn of one session with one call in it, and takes the one
// road: planned, decided, stated, rechecked, run, recorded. Nobody can be asked,
// so what would be asked is denied, and the answer says so with the smallest
// rule that would have allowed it. Only the listed tools can be called. Calls
// run one after the other; a cancelled one is stopped. A line is bounded while
// it is read. At the end of its input everything that runs is cancelled.
//
// # Not promised
//
// That the client is who it says it is: whoever started the program may call
// what it offers. That results are harmless to the client's model: what they
// hold of files and commands is marked as such, and it is for the client to heed.
package mcpserver
