// Package wire cuts the body of a model server's reply into events: server-sent
// events, or JSON values one after another. Which of the two it is, the first
// byte tells, whatever was asked for or announced (R1).
//
// # Promised
//
// No body, however long or broken, makes it hold more than one event of
// MaxEvent bytes, read more than MaxReply, or panic. The cut of the body into
// network packets changes nothing.
//
// # Not promised
//
// That an event is valid JSON, or valid UTF-8: Text and Clean are for that.
package wire
