package commandpolicy

import (
	"regexp"
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
	was, params0 := j.w.args, j.w.params
	j.w.args = j.w.flow.node()
	j.passes(params, j.w.args)
	j.w.takes(params)
	if text.known && j.name != "bash" && posixOnly(text.text) {
		j.unknown("text that this shell reads otherwise than bash")
	}
	j.w.ownShell(func() { j.shellText(text, j.name+" -c") })
	j.w.args, j.w.params = was, params0
}

// ownShell runs f as another shell: it knows none of the functions of this one,
// and of its variables only those that are exported, whichever they are.
func (w *walker) ownShell(f func()) {
	saved := w.meanings
	w.meanings = newMeanings(saved.vars.inner())
	f()
	w.meanings = saved
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

var shellNames = setOf(`bash sh dash ash zsh ksh mksh fish csh tcsh rbash`)

func isShell(name string) bool { return shellNames[name] }
