package commandpolicy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtinNames are the commands that bash runs itself (bash(1), SHELL BUILTIN
// COMMANDS).
var builtinNames = setOf(`: . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd
pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias
unset wait`)

func isBuiltin(name string) bool { return builtinNames[name] }

// eval runs its words as shell text in this shell.
func (j *judged) eval() bool {
	j.quiet = true
	words, ok := make([]string, len(j.args)), true
	for i, x := range j.args {
		j.w.flow.edge(x.node, j.codeNode())
		ok = ok && x.known
		words[i] = x.text
	}
	if ok {
		j.w.inline(strings.Join(words, " "), "eval")
		return true
	}
	j.unknown("eval of text that is not known before the run")
	for _, x := range j.args {
		for _, alt := range x.alts {
			j.w.nested(alt, "eval")
		}
	}
	j.w.vars.lost = true
	j.w.dirs = nil
	return true
}

func (j *judged) source() bool {
	if len(j.args) == 0 {
		return true
	}
	j.script(j.args[0])
	for _, x := range j.args[1:] {
		j.w.flow.edge(x.node, j.codeNode())
	}
	j.w.vars.lost = true
	j.w.dirs = nil
	j.w.pathChanged = true
	j.call = generic(j.args)
	return true
}

func (j *judged) command() bool {
	c := j.call
	if c.has("-v", "-V") {
		return false
	}
	if len(c.command) == 0 {
		return true
	}
	if c.broken != "" {
		j.unknown(c.broken)
	}
	j.quiet = true
	r := j.run
	r.argv, r.noFunc = c.command, true
	if j.name == "exec" {
		r.external = true
	}
	r.wrappers = append(r.wrappers[:len(r.wrappers):len(r.wrappers)], j.name)
	j.w.start(r)
	return true
}

func (j *judged) trap() bool {
	ops := j.call.operands
	if len(ops) > 1 && !(ops[0].known && (ops[0].text == "-" || ops[0].text == "")) {
		j.quiet = true
		j.w.subshell(func() { j.w.elsewhen(func() { j.shellText(ops[0], "trap") }) })
		for _, sig := range ops[1:] {
			if sig.text != "EXIT" && sig.text != "0" {
				// The text runs in this shell between any two of the commands
				// that follow, and may change what they are.
				j.w.vars.lost, j.w.dirs, j.w.passed = true, nil, nil
			}
		}
		return true
	}
	return false
}

// harmlessSettings are the letters and names that set may take.
var harmlessSettings = setOf(`errexit nounset pipefail xtrace verbose noclobber errtrace functrace noglob`)

func (j *judged) set() bool {
	j.call = &call{operands: j.args}
	if len(j.args) == 0 {
		j.refuse("prints all variables")
	}
	for i := 0; i < len(j.args); i++ {
		x := j.args[i]
		if !x.known || x.text == "--" || x.text == "-" || x.text == "" || x.text[0] != '-' && x.text[0] != '+' {
			j.setArgs(j.args[i:])
			return true
		}
		if strings.Trim(x.text[1:], "euxvCETfo") != "" {
			j.refuse("set " + x.text)
		}
		j.w.globChanged = j.w.globChanged || strings.Contains(x.text, "f")
		if strings.HasSuffix(x.text, "o") {
			i++
			if i >= len(j.args) || !j.args[i].known || !harmlessSettings[j.args[i].text] {
				j.refuse("set -o with a setting that is not known to be harmless")
			} else if j.args[i].text == "noglob" {
				j.w.globChanged = true
			}
		}
	}
	return true
}

func (j *judged) setArgs(words []word) {
	n := j.w.flow.node()
	j.w.flow.edge(j.w.args, n)
	j.w.args = n
	j.passes(words, n)
	j.w.takes(words)
}

// takes notes what the positional parameters may be from here on.
func (w *walker) takes(words []word) {
	var all []string
	for _, x := range words {
		if x.known && x.text != "--" {
			all = append(all, x.text)
		}
	}
	w.params = listAlts(all)
}

var harmlessShopts = setOf(`nullglob globstar dotglob failglob nocaseglob globskipdots inherit_errexit`)

func (j *judged) shopt() bool {
	j.w.globChanged = true
	for _, x := range j.call.operands {
		if !x.known || !harmlessShopts[x.text] {
			j.refuse("a shell option that is not known to be harmless")
		}
	}
	return false
}

func (j *judged) read() bool {
	if u, ok := j.call.flag("-C"); ok {
		j.w.subshell(func() { j.w.elsewhen(func() { j.shellText(u.value, j.name+" -C") }) })
	}
	j.w.setNames(j.call.operands, value{plain: true, node: j.w.io.in})
	j.names(j.call.operands)
	return false
}

// names refuses what is no plain name: bash evaluates subscripts in it.
func (j *judged) names(words []word) {
	for _, x := range words {
		if !x.known || !syntax.ValidName(x.text) {
			j.w.evaluatedValue(x.value())
			j.refuse("a variable name that bash may evaluate")
		} else if !ownName(x.text) && len(x.text) > 1 && x.text != "REPLY" {
			j.refuse("sets the variable " + x.text)
		}
	}
}

func (w *walker) setNames(words []word, v value) {
	for _, x := range words {
		if x.known && syntax.ValidName(x.text) {
			w.assign(x.text, v)
			continue
		}
		w.vars.lost = true
	}
}

func (j *judged) unset() bool {
	for _, x := range j.call.operands {
		delete(j.w.sure, x.text)
	}
	j.w.setNames(j.call.operands, value{unset: true})
	j.names(j.call.operands)
	return false
}

func (j *judged) alias() bool {
	for _, x := range j.args {
		if _, text, ok := strings.Cut(x.text, "="); ok && x.known {
			j.w.nested(text, "alias")
		}
	}
	j.refuse("changes what names mean, or prints it")
	j.call = generic(j.args)
	return true
}

// export handles export, declare and their like where the parser did not see
// them as such (`builtin export X=1`).
func (j *judged) export() bool {
	for _, x := range j.args {
		name, text, _ := strings.Cut(x.text, "=")
		if x.known && syntax.ValidName(name) {
			j.w.assign(name, value{text: text, known: true, node: x.node})
			continue
		}
		j.w.vars.lost = true
	}
	j.refuse("sets or prints variables")
	j.call = generic(j.args)
	return true
}

func (j *judged) hashCommand() bool {
	if j.call.has("-p") {
		j.w.pathChanged = true
	}
	return false
}
