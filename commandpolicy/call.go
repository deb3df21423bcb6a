package commandpolicy

import "strings"

// call is one command line, taken apart by its grammar.
type call struct {
	name     string // for people
	spec     *spec  // nil when the program has no grammar
	sub      *spec  // grammar of the subcommand, if any
	flags    []flagUse
	operands []word
	// command is the rest of the line where an operand begins a command.
	command   []word
	loose     bool   // taken apart without a grammar
	broken    string // why the options are not understood; empty when they are
	follow    bool
	recursive bool
	info      bool // an info option stands alone
	outside   bool // some word may be a path outside the workspace
	reads     bool // a mode that only reads was chosen
}

// flagUse is an option as it was given.
type flagUse struct {
	opt   *option
	name  string // as in the grammar: "--output" for -oX, --output=X and --out X
	raw   string // as written, without the value
	value word
	has   bool
	short bool // an abbreviated long option
}

// generic takes a command line apart without any grammar: what begins with a
// dash is an option, the rest are operands.
func generic(args []word) *call {
	c := &call{broken: "no grammar", loose: true}
	end := false
	for _, x := range args {
		switch {
		case x.known && x.text == "--" && !end:
			end = true
		case x.known && len(x.text) > 1 && x.text[0] == '-' && !end:
			name, val, has := strings.Cut(x.text, "=")
			c.flags = append(c.flags, flagUse{name: name, raw: name, value: known(val), has: has})
		default:
			c.operands = append(c.operands, x)
		}
	}
	return c
}

// flag finds the last use of an option by its grammar name.
func (c *call) flag(name string) (flagUse, bool) {
	for i := len(c.flags) - 1; i >= 0; i-- {
		if c.flags[i].name == name {
			return c.flags[i], true
		}
	}
	return flagUse{}, false
}

// has reports whether any of the options was given.
func (c *call) has(names ...string) bool {
	for _, n := range names {
		if _, ok := c.flag(n); ok {
			return true
		}
	}
	return false
}

// canonical is the grammar's name for an option as people write it.
func (c *call) canonical(name string) string {
	for _, s := range []*spec{c.sub, c.spec} {
		if s == nil {
			continue
		}
		if o := s.opts[name]; o != nil {
			return o.name
		}
	}
	return name
}
