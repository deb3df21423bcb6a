package gitsafe

import (
	"slices"
	"strings"
)

// A grammar is the set of options that one subcommand accepts, written as
// words:
//
//	--all            a flag
//	--[no-]ff        a flag and its opposite
//	--format=        takes a value, joined or as the next word
//	--stat[=]        takes a value only when joined
//	-a  -n=  -M[=]   the same for one letter; letters may be clustered
//	-m:--message=    a letter that stands for a long option
//	-<n>             a number, as in -5
//
// Whatever is accepted is written out again with its value joined, one option
// a word. So no word of the result can be taken for the value of another, and
// none that starts with a dash was not named in the grammar.
type grammar string

// A form is how one option is written.
type form struct {
	name     string // canonical, with dashes
	value    bool   // takes a value
	optional bool   // … only when joined
}

// lookup finds an option by its exact name, with dashes.
func (g grammar) lookup(name string) (form, bool) {
	for word := range strings.FieldsSeq(string(g)) {
		short, long, aliased := strings.Cut(word, ":")
		if aliased {
			if short == name {
				return parseForm(long), true
			}
			continue
		}
		if pos, ok := strings.CutPrefix(word, "--[no-]"); ok {
			f := parseForm("--" + pos)
			if f.name == name {
				return f, true
			}
			if "--no-"+strings.TrimPrefix(f.name, "--") == name {
				return form{name: name}, true
			}
			continue
		}
		if f := parseForm(word); f.name == name {
			return f, true
		}
	}
	return form{}, false
}

func parseForm(word string) form {
	if n, ok := strings.CutSuffix(word, "[=]"); ok {
		return form{name: n, value: true, optional: true}
	}
	if n, ok := strings.CutSuffix(word, "="); ok {
		return form{name: n, value: true}
	}
	return form{name: word}
}

func (g grammar) numbers() bool {
	for word := range strings.FieldsSeq(string(g)) {
		if word == "-<n>" {
			return true
		}
	}
	return false
}

// An item is one option or one operand, as it was given.
type item struct {
	name  string // canonical name of an option; empty for an operand
	value string // value of the option, or the operand
	given bool   // the option has a value
}

func (o item) String() string {
	switch {
	case o.name == "":
		return o.value
	case !o.given:
		return o.name
	case strings.HasPrefix(o.name, "--"):
		return o.name + "=" + o.value
	default:
		return o.name + o.value
	}
}

// arguments are the parsed arguments of one subcommand. The order of options
// and operands is kept: `log a --not b` is not `log --not a b`.
type arguments struct {
	items []item
	paths []string // operands after "--"
	split bool     // "--" was there
}

// words are the operands before "--".
func (a *arguments) words() []string {
	var ws []string
	for _, it := range a.items {
		if it.name == "" {
			ws = append(ws, it.value)
		}
	}
	return ws
}

// has says whether one of the options was given.
func (a *arguments) has(names ...string) bool {
	for _, it := range a.items {
		if it.name != "" && slices.Contains(names, it.name) {
			return true
		}
	}
	return false
}

// values are all the values given for these options, in order.
func (a *arguments) values(names ...string) []string {
	var vs []string
	for _, it := range a.items {
		if it.given && slices.Contains(names, it.name) {
			vs = append(vs, it.value)
		}
	}
	return vs
}

// dropWords removes the operands before "--".
func (a *arguments) dropWords() {
	a.items = slices.DeleteFunc(a.items, func(it item) bool { return it.name == "" })
}

// argv is the canonical form.
func (a *arguments) argv() []string {
	var out []string
	for _, it := range a.items {
		out = append(out, it.String())
	}
	if a.split {
		out = append(append(out, "--"), a.paths...)
	}
	return out
}

// parse reads the arguments that follow the subcommand sub.
func (g grammar) parse(sub string, args []string) (*arguments, error) {
	a := &arguments{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			a.split, a.paths = true, append(a.paths, args[i+1:]...)
			return a, a.checkOperands(sub)
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			a.items = append(a.items, item{value: arg})
		case strings.HasPrefix(arg, "--"):
			used, err := g.long(a, sub, arg, args[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		default:
			used, err := g.short(a, sub, arg, args[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		}
	}
	return a, a.checkOperands(sub)
}

func (a *arguments) checkOperands(sub string) error {
	for _, w := range append(a.words(), a.paths...) {
		if w == "" {
			return refuse("", "git %s: an empty operand", sub)
		}
	}
	return nil
}

// long takes --name, --name=value, or --name value. It returns how many of the
// following words it used.
func (g grammar) long(a *arguments, sub, arg string, rest []string) (int, error) {
	name, value, joined := strings.Cut(arg, "=")
	f, ok := g.lookup(name)
	if !ok {
		return 0, notAccepted(sub, name)
	}
	switch {
	case !f.value && joined:
		return 0, refuse("", "git %s: %s takes no value", sub, name)
	case !f.value || (f.optional && !joined):
		a.items = append(a.items, item{name: f.name})
		return 0, nil
	case joined:
		a.items = append(a.items, item{name: f.name, value: value, given: true})
		return 0, nil
	}
	return g.next(a, sub, name, f, rest)
}

// short takes a cluster of letters, of which the last may have a value.
func (g grammar) short(a *arguments, sub, arg string, rest []string) (int, error) {
	if g.numbers() && strings.Trim(arg[1:], "0123456789") == "" {
		a.items = append(a.items, item{name: arg})
		return 0, nil
	}
	for i := 1; i < len(arg); i++ {
		name := "-" + arg[i:i+1]
		f, ok := g.lookup(name)
		if !ok {
			return 0, notAccepted(sub, name)
		}
		tail := arg[i+1:]
		switch {
		case !f.value:
			a.items = append(a.items, item{name: f.name})
		case tail != "":
			a.items = append(a.items, item{name: f.name, value: tail, given: true})
			return 0, nil
		case f.optional:
			a.items = append(a.items, item{name: f.name})
		default:
			return g.next(a, sub, name, f, rest)
		}
	}
	return 0, nil
}

// next takes the value of an option from the following word.
func (g grammar) next(a *arguments, sub, name string, f form, rest []string) (int, error) {
	if len(rest) == 0 {
		return 0, refuse("", "git %s: %s needs a value", sub, name)
	}
	if rest[0] == "" && !strings.HasPrefix(f.name, "--") {
		return 0, refuse("", "git %s: %s needs a value that is not empty", sub, name)
	}
	a.items = append(a.items, item{name: f.name, value: rest[0], given: true})
	return 1, nil
}

func notAccepted(sub, name string) error {
	return refuse("docs/git.md lists what is", "git %s: the option %q is not accepted", sub, name)
}
