package commandpolicy

import (
	"path"
	"strings"
)

// env judges env(1): options, assignments, and then a command.
func (j *judged) env() bool {
	c := j.call
	if c.info {
		return true
	}
	r := run{depth: j.run.depth, noFunc: true, external: true, lookup: j.run.lookup}
	r.wrappers = append(j.run.wrappers[:len(j.run.wrappers):len(j.run.wrappers)], "env")
	j.envOptions(c)
	words := c.operands
	if len(words) > 0 && words[0].known && words[0].text == "-" {
		j.refuse("takes the whole environment from a command")
		words = words[1:]
	}
	for len(words) > 0 {
		name, text, ok := strings.Cut(words[0].text, "=")
		if !ok && words[0].known || !words[0].known && !strings.Contains(words[0].text, "=") {
			break
		}
		if !words[0].known || !harmlessAssignment(name, value{text: text, known: true}) || !settable[name] && !ownName(name) && !strings.HasSuffix(name, "PAGER") {
			j.part.Effects.Env = append(j.part.Effects.Env, name)
			j.refuse("sets " + name + " for a command")
			j.w.prefixText(name, text)
		}
		r.lookup = r.lookup || name == "PATH"
		words = words[1:]
	}
	if u, ok := c.flag("--split-string"); ok {
		j.refuse("env -S splits its own words")
		for _, f := range strings.Fields(u.value.text) {
			r.argv = append(r.argv, known(strings.Trim(f, `'"`)))
		}
	}
	r.argv = append(r.argv, words...)
	if len(r.argv) == 0 {
		j.refuse("prints all variables")
		return true
	}
	j.quiet = true
	dirs := j.w.dirs
	if u, ok := c.flag("--chdir"); ok {
		j.use(kindMeta, u.value, "")
		j.w.dirs = j.paths(u.value, true)
	}
	j.w.start(r)
	j.w.dirs = dirs
	return true
}

func (j *judged) envOptions(c *call) {
	if c.broken != "" {
		j.unknown(c.broken)
	}
	for _, u := range c.flags {
		switch {
		case u.opt == nil:
		case u.opt.kind == kindAsk:
			j.refuse(u.raw + ": " + u.opt.why)
		case u.name == "--unset" && !ownName(u.value.text):
			j.refuse("takes " + u.value.text + " from a command")
		}
	}
}

// xargs builds the words of a command from its input.
func (j *judged) xargs() bool {
	c := j.call
	if c.info {
		return true
	}
	j.applyOptions(c)
	argv := c.command
	if len(argv) == 0 {
		argv = []word{known("echo")}
	}
	from := word{node: j.w.io.in}
	items, ok := j.items(c)
	place := ""
	for _, n := range []string{"-I", "--replace", "-J"} {
		if u, has := c.flag(n); has {
			if place = u.value.text; place == "" {
				place = "{}"
			}
		}
	}
	j.quiet = true
	switch {
	case ok && place == "":
		j.unwrap(append(argv[:len(argv):len(argv)], items...))
	case ok && len(items) <= 64:
		for _, it := range items {
			j.unwrap(replaceWords(argv, place, it))
		}
	case place != "":
		j.unwrap(replaceWords(argv, place, from))
	default:
		j.unwrap(append(argv[:len(argv):len(argv)], from))
	}
	return true
}

// items are the words that xargs reads, when its input is known text.
func (j *judged) items(c *call) ([]word, bool) {
	if c.has("--arg-file", "--delimiter", "--eof", "--null") {
		return nil, false
	}
	text, ok := j.w.flow.known(j.w.io.in)
	if !ok || strings.ContainsAny(text, `'"\`) {
		return nil, false
	}
	// xargs splits at blanks and newlines of ASCII; with a place for the item,
	// at newlines, and takes blanks off its beginning alone.
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	if c.has("-I", "--replace", "-J") {
		fields = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	var out []word
	for _, f := range fields {
		out = append(out, word{text: strings.TrimLeft(f, " \t"), known: true, node: j.w.io.in})
	}
	return out, len(out) <= maxFields
}

func replaceWords(argv []word, place string, with word) []word {
	out := make([]word, len(argv))
	for i, x := range argv {
		out[i] = x
		if !x.known || !strings.Contains(x.text, place) {
			continue
		}
		out[i].node = with.node
		if with.known {
			out[i].text = strings.ReplaceAll(x.text, place, with.text)
			continue
		}
		out[i].known = false
		out[i].alts = []string{x.text}
	}
	return out
}

// anyCommand looks for the command that a wrapper with unknown options runs:
// the first word that names a known program.
func (j *judged) anyCommand() bool {
	for i, x := range j.args[:min(len(j.args), 16)] {
		name := x.text
		if dir, base := path.Split(name); systemBin[path.Clean(dir)] && dir != "" {
			name = base
		}
		if x.known && !strings.HasPrefix(name, "-") && (specFor(name) != nil || isBuiltin(name)) {
			if j.call.spec.within {
				j.within()
			}
			j.refuse(j.call.spec.never)
			j.unwrap(j.args[i:])
			return true
		}
	}
	return false
}

// shellOption walks the shell text that an option or all operands are for:
// su -c, script -c, watch, flock -c.
func (j *judged) shellWords() bool {
	c := j.call
	for _, u := range c.flags {
		if u.name == "--command" && u.has {
			j.shellText(u.value, j.name)
		}
	}
	if (j.name == "watch" || j.name == "parallel" || j.name == "at") && len(c.command) > 0 {
		words := make([]string, 0, len(c.command))
		for _, x := range c.command {
			words = append(words, x.text)
			j.w.flow.edge(x.node, j.codeNode())
		}
		j.w.nested(strings.Join(words, " "), j.name)
	}
	return false
}

// busybox runs the applet that its first word names.
func (j *judged) busybox() bool {
	if j.call = generic(j.args); len(j.args) == 0 {
		j.refuse("a program of many programs")
		return true
	}
	j.refuse("a program of many programs, whose options differ")
	if j.args[0].known && strings.HasPrefix(j.args[0].text, "-") {
		return true
	}
	j.unwrap(j.args)
	return true
}
