package gitsafe

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Call is one git call that passed Check. The zero Call is refused.
type Call struct {
	Sub   string   // subcommand, with its own: "commit", "stash drop"
	Class Class    // what it can touch
	Dir   string   // of -C, relative to the working folder; may be empty
	Words []string // operands before "--": revisions, names, or paths where no "--" stands
	Paths []string // operands that are paths, relative to the working folder
	Reads []string // paths that it names to be read, relative to the working folder
	Inner []string // paths inside revisions that it names: REV:PATH, :PATH
	Loses bool     // it can lose work that git keeps nowhere else; Plan.CanLose knows better

	args     *arguments
	spec     *command
	settings []setting // of -c, harmless ones
	config   bool      // it writes the configuration of the repository
}

// Argv is what git will be given after its own name, but for what Plan adds.
func (c Call) Argv() []string {
	if c.spec == nil {
		return nil
	}
	argv := strings.Fields(c.Sub)
	argv = append(argv, strings.Fields(c.spec.forced)...)
	args := *c.args
	if c.patterns() {
		args.paths = slices.Clone(args.paths)
		for i, p := range args.paths {
			args.paths[i] = ":(literal)" + p
		}
	}
	return append(argv, args.argv()...)
}

// patterns says that git must be able to read patterns in this writing call,
// since it names its own paths by one (":/", for all of the tree); the paths
// of the call are then marked as literal one by one.
func (c Call) patterns() bool { return c.Sub == "stash push" }

// String is the call as it would be typed, for a person. It is not shell text.
func (c Call) String() string {
	if c.spec == nil {
		return "git"
	}
	words := append([]string{"git"}, strings.Fields(c.Sub)...)
	if c.Dir != "" {
		words = append([]string{"git", "-C", c.Dir}, strings.Fields(c.Sub)...)
	}
	return strings.Join(append(words, c.args.argv()...), " ")
}

// check implements Check.
func check(args []string) (Call, error) {
	for _, a := range args {
		if strings.ContainsRune(a, 0) {
			return Call{}, refuse("", "an argument holds a NUL byte")
		}
	}
	c, rest, err := globals(args)
	if err != nil {
		return Call{}, err
	}
	if len(rest) == 0 {
		return Call{}, refuse("for example git status", "no subcommand")
	}
	name, spec, rest := find(rest)
	if spec == nil {
		return Call{}, unknownSub(name)
	}
	c.Sub, c.spec, c.Class = name, spec, spec.class
	if c.args, err = spec.opts.parse(name, rest); err != nil {
		return Call{}, err
	}
	if err := spec.shape(&c); err != nil {
		return Call{}, err
	}
	if spec.refine != nil {
		if err := spec.refine(&c); err != nil {
			return Call{}, err
		}
	}
	c.name()
	return c, nil
}

// globals reads what stands before the subcommand. Options that only ask for
// what is in force anyway are dropped.
func globals(args []string) (Call, []string, error) {
	c := Call{}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		opt := args[0]
		args = args[1:]
		switch opt {
		case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--no-lazy-fetch", "--no-advice":
			continue
		case "--version", "-v":
			return c, append([]string{"version"}, args...), nil
		case "-C", "-c":
			if len(args) == 0 || args[0] == "" {
				return c, nil, refuse("", "git: %s needs a value", opt)
			}
			if opt == "-C" {
				c.Dir = joinDir(c.Dir, args[0])
			} else if err := c.set(args[0]); err != nil {
				return c, nil, err
			}
			args = args[1:]
		default:
			return c, nil, refuse("only -C DIR, -c with a display key, and --no-pager may stand there",
				"git: the option %q before the subcommand is not accepted", opt)
		}
	}
	return c, args, nil
}

func joinDir(dir, next string) string {
	if path.IsAbs(next) {
		return path.Clean(next)
	}
	return path.Join(dir, next)
}

// set takes one -c NAME=VALUE: how things look, and who the author is.
func (c *Call) set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	k := foldKey(name)
	switch {
	case ok && k == "core.pager" && (value == "" || value == "cat"):
		return nil // in force anyway
	case ok && (strings.HasPrefix(k, "color.") || strings.HasPrefix(k, "advice.") ||
		k == "core.quotepath" || k == "user.name" || k == "user.email"):
		c.settings = append(c.settings, setting{k, value})
		return nil
	}
	return refuse("only color.*, advice.*, core.quotePath, user.name and user.email are",
		"git: -c %q is not accepted", name)
}

// find splits the subcommand off, which may have one of its own.
func find(args []string) (string, *command, []string) {
	name, rest := args[0], args[1:]
	if len(rest) > 0 {
		if spec := row(name + " " + rest[0]); spec != nil {
			return spec.name, spec, rest[1:]
		}
	}
	for _, d := range defaults {
		if d[0] != name {
			continue
		}
		if name == "stash" && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return name + " " + rest[0], nil, nil // a subcommand that is not on the table
		}
		return d[1], row(d[1]), rest
	}
	return name, row(name), rest
}

func row(name string) *command {
	for _, c := range table {
		if c.name == name {
			return &c // a copy: the table is nobody's to change
		}
	}
	return nil
}

// unknownSub says why a subcommand is not on the table.
func unknownSub(name string) error {
	for _, r := range refusals {
		if r[0] == name {
			return refuse(r[2], "git %s is refused: %s", name, r[1])
		}
	}
	return refuse("docs/git.md lists what is; aliases are not expanded", "git %s is not on the list of subcommands", name)
}

// shape fits the operands to what the subcommand takes.
func (spec *command) shape(c *Call) error {
	a := c.args
	switch spec.operands {
	case mixed:
	case pathsOnly:
		a.paths = append(a.words(), a.paths...)
		a.dropWords()
		a.split = len(a.paths) > 0
	case revs, names, files:
		fallthrough
	default:
		if len(a.paths) > 0 && spec.operands != files {
			return refuse("", "git %s takes no paths after --", c.Sub)
		}
		for _, p := range a.paths {
			a.items = append(a.items, item{value: p})
		}
		a.paths, a.split = nil, false
		for _, w := range a.words() {
			if strings.HasPrefix(w, "-") && w != "-" {
				return refuse("write ./"+w, "git %s: %q starts with a dash", c.Sub, w)
			}
		}
	}
	c.Words, c.Paths = a.words(), a.paths
	if n := len(c.Words) + len(c.Paths); n < spec.min || n > spec.max {
		return refuse("", "git %s: %d operands; it takes %s", c.Sub, n, spec.counts())
	}
	return nil
}

func (spec *command) counts() string {
	switch {
	case spec.max == 0:
		return "none"
	case spec.max == many:
		return fmt.Sprintf("at least %d", spec.min)
	case spec.min == spec.max:
		return fmt.Sprint(spec.min)
	}
	return fmt.Sprintf("%d to %d", spec.min, spec.max)
}
