package commandpolicy

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// shell judges bash and other shells: text given with -c is walked, a script
// or the input is code.
func (j *judged) shell() bool {
	c := j.call
	if c.info {
		return true
	}
	if c.broken != "" {
		j.unknown(c.broken)
	}
	for _, u := range c.flags {
		if u.opt != nil && u.opt.kind == kindAsk {
			j.refuse(u.raw + ": " + u.opt.why)
		}
	}
	ops := c.operands
	if j.name != "bash" && !(posixShells[j.name] && c.has("-c") && len(ops) == 1 && portable(ops[0])) {
		j.refuse("another shell than bash, which reads text otherwise")
	}
	if c.has("-c") && len(ops) > 0 {
		j.quiet = true
		j.shellC(ops[0], ops[1:])
		return true
	}
	if len(ops) > 0 && !c.has("-s") && ops[0].text != "-" {
		j.script(ops[0])
		for _, x := range ops[1:] {
			j.w.flow.edge(x.node, j.d)
			j.touchesOwn(x)
		}
		return true
	}
	j.stdinCode()
	return true
}

// shellC walks the text of -c, with what follows as its parameters.
func (j *judged) shellC(text word, params []word) {
	was := j.w.args
	j.w.args = j.w.flow.node()
	j.passes(params, j.w.args)
	if text.known && j.name != "bash" && posixOnly(text.text) {
		j.unknown("text that this shell reads otherwise than bash")
	}
	j.w.ownShell(func() { j.shellText(text, j.name+" -c") })
	j.w.args = was
}

// ownShell runs f as another shell: it knows none of the functions of this one,
// and of its variables only those that are exported, whichever they are.
func (w *walker) ownShell(f func()) {
	funcs, sure, defined, facts, later, vars := w.funcs, w.sure, w.defined, w.facts, w.later, w.vars
	w.funcs, w.sure, w.defined, w.facts, w.later = map[string]*function{}, map[string]bool{}, nil, prescan{}, 0
	w.vars = vars.inner()
	f()
	w.funcs, w.sure, w.defined, w.facts, w.later, w.vars = funcs, sure, defined, facts, later, vars
}

// posixOnly reports whether a plain POSIX shell does not parse the text.
func posixOnly(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	return err != nil
}

// posixShells read plain text as bash does.
var posixShells = setOf(`sh dash ash`)

// portableText is text without anything that shells read in ways of their own:
// parameters, braces, brackets, escapes, and redirections of bash.
var portableText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_ ./:,=@%+|;&<>*?'"\n-]*$`) })

// portable reports whether a POSIX shell does the same with x as bash.
func portable(x word) bool {
	return x.known && portableText().MatchString(x.text) && !strings.Contains(x.text, "&>") && !strings.Contains(x.text, "|&") &&
		!strings.Contains(x.text, "<>") && !posixOnly(x.text)
}

// stdinCode notes that the input is run; known text is walked.
func (j *judged) stdinCode() {
	in := j.w.io.in
	j.w.flow.edge(in, j.codeNode())
	j.executes("code:" + j.name)
	j.pin("") // what it is fed stands in no rule
	text, ok := j.w.flow.known(in)
	switch {
	case ok && (isShell(j.name) || j.name == "at" || j.name == "batch" || j.name == "parallel"):
		j.w.nested(text, "the input of "+j.name)
	case ok:
		j.w.shellWithin(j.name, text)
	}
}

// shellCalls are the calls by which other languages start a shell, and those
// that delete a tree, with a string as what follows.
var shellCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(system|popen|shell_exec|passthru|execSync|exec|spawnSync|spawn|getoutput|check_output|check_call|call|run|execute|e?syscmd|shell-command|do shell script|qx|%x|rmtree|rmSync|rm_rf|rm_r|remove_tree|RemoveAll)" +
		"\\s*[({\\[]*\\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`|\\{([^}]*)\\})")
})

// shellWithin looks for shell text within code of another language, for the
// deny list. It finds the plain forms only: deny rules are no wall.
func (w *walker) shellWithin(name, code string) {
	for _, m := range shellCalls().FindAllStringSubmatch(code, 16) {
		text := m[2] + m[3] + m[4] + m[5]
		switch m[1] {
		case "rmtree", "rmSync", "rm_rf", "rm_r", "remove_tree", "RemoveAll":
			text = "rm -rf -- '" + strings.ReplaceAll(text, "'", "") + "'"
		}
		w.elsewhereHere(text)
	}
	w.argvWithin(code)
	for _, m := range quotedShell(name).FindAllStringSubmatch(code, 16) {
		w.elsewhereHere(strings.Join(m[1:], ""))
	}
}

// elsewhereHere analyses text apart from the rest, and takes over a denial
// alone: what looks like a call may be none.
func (w *walker) elsewhereHere(text string) {
	c := w.a.where
	if c.within++; c.within > 4 || len(text) > w.budget {
		return
	}
	w.budget -= len(text)
	if len(w.dirs) == 1 {
		c.Dir = w.dirs[0]
	}
	if a := Parse(text, c); a.Catastrophe != nil {
		w.deny(ruleID(a.Catastrophe.ID))
	}
}

var shellNames = setOf(`bash sh dash ash zsh ksh mksh fish csh tcsh rbash`)

func isShell(name string) bool { return shellNames[name] }

// interpreter judges python, perl, node and their like: without code or a
// script of its own, the input is code.
func (j *judged) interpreter() bool {
	c := j.call
	if c.info {
		return true
	}
	if c.testRunner() && !hasCode(c) {
		// The operands of a test runner are what it looks for tests in. A yes
		// is about them as they are; a rule is about the run, as with pytest,
		// and outlives that tests change.
		pinned, pins := j.part.pinned, j.part.Pins
		for _, x := range c.operands {
			j.w.flow.edge(x.node, j.d)
			j.use(kindScript, x, "")
		}
		j.part.pinned, j.part.Pins = pinned, pins
		j.applyOptions(c)
		return true
	}
	data := len(c.operands) > 0 && c.operands[0].text != "-"
	for _, u := range c.flags {
		if u.name == "-m" || u.name == "--module" {
			j.pinModule(u.value)
		}
		if u.opt != nil && (u.opt.kind == kindCode || u.name == "-m" || u.name == "--module") {
			data = true
		}
	}
	if data && hasCode(c) {
		// The operands of -c, -e and -m are words for the program.
		for _, x := range c.operands {
			j.w.flow.edge(x.node, j.d)
			j.touchesOwn(x)
			if c.has("-i") {
				j.use(kindWrite, x, "")
			}
		}
		j.applyOptions(c)
		return true
	}
	if !data || slices.ContainsFunc(c.operands, func(x word) bool { return x.text == "-" && x.known }) {
		j.stdinCode()
	}
	if c.has("-i") {
		for _, x := range c.operands {
			j.use(kindWrite, x, "")
		}
	}
	return false
}

// testRunner says that an interpreter was told to run the project's tests. The
// grammar knows such an option of node alone.
func (c *call) testRunner() bool {
	return slices.ContainsFunc(c.flags, func(u flagUse) bool { return u.opt != nil && u.name == "--test" })
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

func hasCode(c *call) bool {
	for _, u := range c.flags {
		if u.opt != nil && (u.opt.kind == kindCode || u.name == "-m" || u.name == "--module") {
			return true
		}
	}
	return false
}

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

// applyOptions judges the options alone.
func (j *judged) applyOptions(c *call) {
	rest := *c
	rest.operands, rest.command = nil, nil
	spec := *c.spec
	spec.implicit = nil
	j.apply(&spec, &rest)
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
