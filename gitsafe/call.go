package gitsafe

import "strings"

// A Call is one git call that passed Check. The zero Call is refused.
type Call struct {
	Sub   string   // subcommand, with its own: "commit", "stash drop"
	Class Class    // what it can touch
	Dir   string   // of -C, relative to the working folder; may be empty
	Words []string // operands before "--": revisions, or paths where no "--" stands
	Paths []string // operands that are paths, relative to the working folder
	Reads []string // what it names to be read: PATH, or REV:PATH
	Loses bool     // it can lose work that git keeps nowhere else

	argv []string
	spec *command
}

// String is the call as it would be typed, for a person. It is not shell text.
func (c Call) String() string { return "git " + strings.Join(c.argv, " ") }

type command struct{}
type environment struct{}
