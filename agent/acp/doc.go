// Package acp is the front end for editors: an agent of the Agent Client
// Protocol, version 1, on a pair of pipes.
//
// # Promised
//
// It decides nothing: it sends the session's commands, shows its events, and
// carries its questions to the editor. Only an answer to a question that is
// open, which chooses an option that was made for that question and means yes,
// is a yes. Everything else is a no: another shape, an error, an unknown option,
// a second answer, silence, a closed pipe. Ids of options cannot be guessed.
//
// An editor chooses among the modes of the launch and gets no further. What an
// editor, a model or a file said is made visible before it is shown as a title
// or a name, and stands in a code fence where it is shown as text, so that no
// editor renders it; the model's own answer is Markdown and stays it.
//
// When the editor leaves, every turn is cancelled, every question denied, and
// the sessions are stored.
//
// # Not promised
//
// That the person who looks at the editor is asked: an editor can answer by
// itself. What an editor does with text that it is given to write is believed
// only after the file was read back (agent/world.Editor).
package acp
