// Package guide reads what people write down for an agent: notes about a
// project (AGENTS.md), messages that they have ready (slash commands), and
// skills.
//
// # Promised
//
// From whoever can write to a repository: its files are read through the
// person's grant alone, byte for byte what was looked at (internal/trust), and
// never through a link. A file that holds characters which a reader does not
// see, or that is no text, is refused, and said so. What the repository says
// is framed as data, with a mark that it could not know. A slash command of
// the project takes no name of the program's own, nor one of the person's.
// Nothing is executed, and what stands for arguments is replaced once.
//
// # Not promised
//
// That notes are right, or kindly meant: they are text for a model, and give
// no permission.
package guide
