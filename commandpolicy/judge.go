package commandpolicy

import (
	"path"
	"strings"
)

// judged is a command while its grammar and its hook look at it.
type judged struct {
	*effects
	run    run
	name   string
	args   []word
	call   *call
	quiet  bool   // no part: a wrapper that adds nothing
	output string // what it prints, when ok
	ok     bool
}

// judge looks at one command line of a program that is known by name.
func (w *walker) judge(r run, name string) {
	d := w.flow.node()
	w.flow.edge(w.io.in, d)
	w.flow.edge(d, w.io.out)
	w.flow.edge(d, w.io.err)
	e := w.begin(Part{Kind: PartCall, Name: name, Wrappers: r.wrappers, Argv: args(r.argv)}, d)
	j := &judged{effects: e, run: r, name: name, args: r.argv[1:]}
	if r.lookup && !isBuiltin(name) {
		e.unknown("found on a PATH that the text has changed")
		e.part.Name = ""
	}
	j.byGrammar()
	w.flow.write(w.io.out, j.output, j.ok)
	if j.quiet {
		e.part.Kind = PartUnknown
		if len(e.why) == 0 { // the wrapper is nothing of its own
			e.part.Kind = PartCall
			e.part.Argv = args(r.argv)
		}
	}
	j.catastrophes()
	e.part.call = j.call
	j.pinRunner()
	e.end()
	if c := j.call; c != nil && !e.part.Proven {
		c.outside = j.leaves()
	}
}

func (j *judged) byGrammar() {
	s := specFor(j.name)
	hook := hookFor(j.name)
	steered := j.steered()
	if steered {
		j.unknown("a version manager runs for " + j.name + " what a file of this folder names")
	}
	if s == nil && hook == nil {
		j.call = generic(j.args)
		j.unknown("nothing is known of what " + j.name + " does")
		for _, x := range j.args {
			j.w.flow.edge(x.node, j.d)
			j.touchesOwn(x)
		}
		if j.w.a.where.within == 0 { // prose within a word is full of names
			j.wordsWithin()
		}
		return
	}
	if s != nil {
		if hook == nil {
			hook = hookFor(s.name)
		}
		j.call = s.take(j.name, j.args)
		if j.call.info && !steered && !j.taken(s.local) {
			return
		}
		j.call.info = false
		if s.deny != "" {
			j.w.deny(s.deny)
		}
	}
	if hook != nil && hook(j) {
		return
	}
	if s == nil {
		j.call = generic(j.args)
		j.unknown("nothing is known of what " + j.name + " does")
		return
	}
	j.apply(s, j.call)
}

// taken reports whether one of the files may lie in the current folder or above
// it, as far as the workspace goes: a toolchain file names the program that
// really runs, even for --version.
func (j *judged) taken(files []string) bool {
	if len(files) == 0 {
		return false
	}
	if len(j.w.dirs) == 0 {
		return true
	}
	for _, d := range j.w.dirs {
		real, _ := j.w.places.resolve(d, true)
		for ; j.w.places.inside(real); real = path.Dir(real) {
			for _, f := range files {
				if kind, _ := j.w.places.lstat(path.Join(real, f)); kind != KindAbsent {
					return true
				}
			}
			if real == j.w.places.workspace {
				break
			}
		}
		if !j.w.places.inside(real) {
			return true
		}
	}
	return false
}

// apply turns a parsed command line into effects: those of the program whatever
// it is told, of its options, of its operands and its input; then it goes on
// with the command that the program runs.
func (j *judged) apply(s *spec, c *call) {
	if s.net {
		if len(c.operands) == 0 || c.operands[0].text != "completion" { // that is made on the spot
			j.w.flow.mark(j.d, fromNetwork|toNetwork)
		}
		j.refuse("uses the network")
	}
	if s.never != "" && !c.reads {
		j.refuse(s.never)
	}
	if c.broken != "" {
		j.unknown(c.broken)
	}
	j.follow = c.follow
	j.useOptions(c)
	if s.never != "" || s.net {
		j.sensitive(s, c)
	}
	if s.within || c.has("--exec-batch", "--exec") {
		j.within()
	}
	j.useOperands(s, c)
	if s.stdin && len(c.command) == 0 && !(s.operandIs(kindScript) && len(c.operands) > 0) {
		j.stdinCode()
	}
	if s.net && len(j.part.Effects.Network) == 0 {
		j.part.Effects.Network = []string{"*"}
	}
	j.here()
	if s.wraps && len(c.command) > 0 {
		j.unwrap(c.command)
	}
}

func (j *judged) useOptions(c *call) {
	for _, u := range c.flags {
		switch {
		case u.opt == nil:
			j.w.flow.edge(u.value.node, j.d)
		case u.opt.kind == kindAsk:
			j.refuse(u.raw + ": " + u.opt.why)
			j.w.flow.edge(u.value.node, j.d)
		case u.has:
			j.use(u.opt.kind, u.value, j.name+" "+u.raw)
		}
	}
}

func (j *judged) useOperands(s *spec, c *call) {
	for i, x := range c.operands {
		k, ok := s.operandKind(i)
		if !ok {
			j.refuse(j.name + " takes no such operand")
			k = kindText
		}
		j.use(k, x, j.name)
	}
	if s.implicit != nil && len(c.operands) <= len(s.args) {
		j.use(s.implKind, *s.implicit, j.name)
	}
}

// sensitive looks at every word of a program that may do anything with it:
// none may lie in the agent's own files, and none that is sent away may be a
// key. A word behind an option is left out there: ssh -i uses a key.
func (j *judged) sensitive(s *spec, c *call) {
	sends := s.net && (s.rest == kindText || !s.hasRest) && len(s.args) == 0 && len(c.operands) > 0
	for i, x := range j.args {
		j.touchesOwn(x)
		if !sends || !x.known || strings.ContainsAny(x.text, ":") || strings.HasPrefix(x.text, "-") || i > 0 && strings.HasPrefix(j.args[i-1].text, "-") {
			continue
		}
		if strings.Contains(x.text, "@") {
			j.upload(x)
			continue
		}
		for _, p := range j.paths(x, true) {
			if _, class := secretName(p, j.w.places.home); class >= hardSecret {
				j.use(kindWalk, x, "")
			}
		}
	}
}

// here refuses a program that runs in a folder outside the workspace: what it
// reads without being told is not ours to show.
func (j *judged) here() {
	if isBuiltin(j.name) {
		return
	}
	if len(j.w.dirs) == 0 {
		j.refuse("runs in a folder that is not known before the run")
	}
	for _, d := range j.w.dirs {
		real, loop := j.w.places.resolve(d, true)
		if loop || !j.w.places.inside(real) {
			j.refuse("runs in " + d + ", outside the workspace")
		}
	}
}

// leaves reports whether any word may be a path outside the workspace, or the
// current folder lies there.
func (j *judged) leaves() bool {
	if len(j.w.dirs) == 0 {
		return true
	}
	for _, d := range j.w.dirs {
		if real, loop := j.w.places.resolve(d, true); loop || !j.w.places.inside(real) {
			return true
		}
	}
	for _, x := range j.args {
		for _, text := range pathTexts(x.text) {
			for _, p := range j.paths(known(text), true) {
				if !j.w.places.inside(p) && !isSink(p) && !isSource(p) {
					return true
				}
			}
		}
	}
	return false
}

// pathTexts are the pieces of a word that a program could take for a path: the
// word, the value behind =, and what follows the letter of an option.
func pathTexts(text string) []string {
	if !strings.HasPrefix(text, "-") {
		_, val, _ := strings.Cut(text, "=")
		return []string{text, val}
	}
	_, val, _ := strings.Cut(text, "=")
	out := []string{val}
	if i := strings.IndexByte(text, '/'); i > 0 {
		out = append(out, text[i:])
	}
	if i := strings.Index(text, ".."); i > 0 {
		out = append(out, text[i:])
	}
	return out
}

// touchesOwn denies a word that is a path into the agent's own files, whatever
// the program does with it.
func (e *effects) touchesOwn(x word) {
	if !x.known && x.glob == "" || !strings.ContainsAny(x.text, "/~") && !e.inOwn() {
		return
	}
	_, text, _ := strings.Cut(x.text, "=")
	for _, t := range []string{x.text, text} {
		if t == "" {
			continue
		}
		for _, p := range e.paths(known(t), true) {
			if e.w.places.own(p) {
				e.w.deny(ruleOwnState)
			}
		}
	}
}

// inOwn reports whether the current folder may lie in the agent's own files.
func (e *effects) inOwn() bool {
	for _, d := range e.w.dirs {
		if e.w.places.own(d) {
			return true
		}
	}
	return false
}

// applyOptions judges the options alone.
func (j *judged) applyOptions(c *call) {
	rest := *c
	rest.operands, rest.command = nil, nil
	spec := *c.spec
	spec.implicit = nil
	j.apply(&spec, &rest)
}
