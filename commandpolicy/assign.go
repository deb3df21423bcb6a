package commandpolicy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign changes what is known of a variable, without judging it.
func (w *walker) assign(name string, v value) {
	n := w.flow.variable(name)
	w.flow.edge(v.node, n)
	v.node = n
	w.vars.set(name, v)
	switch name {
	case "PATH", "BASH_CMDS":
		w.pathChanged = true
	case "IFS":
		w.ifsChanged = true
	case "GLOBIGNORE", "BASHOPTS", "SHELLOPTS":
		w.globChanged = true
	case "CDPATH":
		w.cdpathChanged = true
	}
}

// assignment assigns and judges: it is a part of its own.
func (w *walker) assignment(name string, v value) {
	w.assign(name, v)
	if harmlessAssignment(name, v) {
		return
	}
	e := w.begin(Part{Kind: PartAssign, Name: name, Argv: []Arg{{Text: name + "=" + v.text, Known: v.known}}}, v.node)
	e.part.Effects.Env = []string{name}
	e.refuse("sets " + name + ", which programs or the shell may act on")
	e.end()
}

// sets judges that something else than an assignment sets a variable: a loop,
// a default, a count. Its value is the caller's matter.
func (w *walker) sets(name string) {
	if v := (value{plain: true}); name != "" && !harmlessAssignment(name, v) {
		w.assignment(name, v)
	}
}

// assignNode judges NAME=value, NAME+=value, NAME[i]=value and NAME=(…).
func (w *walker) assignNode(a *syntax.Assign, prefix bool) {
	name := litValue(a.Name)
	w.subscript(a.Index)
	if a.Array != nil {
		w.assignArray(name, a.Array)
		return
	}
	x := w.single(a.Value)
	if tildeWithin(a.Value) {
		x.known = false
	}
	v := value{text: x.text, known: x.known, plain: x.plain, num: x.num, node: x.node, alts: x.alts}
	if a.Append {
		old := w.variable(name)
		v = value{text: old.text + x.text, known: old.known && x.known && len(old.text) < maxKnownText,
			plain: (old.plain || old.known) && (x.plain || x.known), node: x.node}
	}
	if a.Index != nil {
		v = value{plain: x.plain || x.known, node: x.node}
	}
	if x.known && (prefix || shellReads[name]) && !harmlessAssignment(name, v) {
		w.prefixText(name, x.text)
	}
	w.assignment(name, v)
}

// tildeWithin recognises a tilde behind a colon, which an assignment expands.
func tildeWithin(x *syntax.Word) bool {
	if x == nil {
		return false
	}
	for _, p := range x.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, ":~") {
			return true
		}
	}
	return false
}

// shellReads are the variables that bash itself runs or expands.
var shellReads = setOf(`PROMPT_COMMAND PS0 PS1 PS2 PS4 ENV BASH_ENV`)

// prefixText walks the value of a variable that a program may run as shell
// text, for the deny list.
func (w *walker) prefixText(name, text string) {
	if shellReads[name] {
		w.evaluated(text)
	}
	switch name {
	case "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "FCEDIT", "SUDO_EDITOR", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND",
		"GIT_EXTERNAL_DIFF", "RSYNC_RSH", "PROMPT_COMMAND", "LESSOPEN", "LESSCLOSE", "BROWSER", "FZF_DEFAULT_COMMAND", "CC", "CXX":
		w.nested(text, name)
	}
}

func (w *walker) assignArray(name string, arr *syntax.ArrayExpr) {
	v := value{plain: true}
	var all []string
	for _, el := range arr.Elems {
		if el.Index != nil {
			w.subscript(el.Index)
		}
		if el.Value == nil {
			continue
		}
		for _, x := range w.fields([]*syntax.Word{el.Value}) {
			v.plain = v.plain && (x.known || x.plain)
			v.node = w.merge(v.node, x.node)
			all = append(all, x.text)
			if shellReads[name] {
				w.prefixText(name, x.text)
			}
		}
	}
	v.alts = listAlts(all)
	w.assignment(name, v)
}

// listAlts are the words that a list may stand for, for the deny list: all of
// them in a row, and each one.
func listAlts(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	out := []string{strings.Join(words, " ")}
	for _, x := range words {
		if len(words) > 1 && len(out) < maxAlts {
			out = append(out, x)
		}
	}
	return out
}

// declClause judges declare, local, export, readonly and typeset.
func (w *walker) declClause(d *syntax.DeclClause) {
	variant := d.Variant.Value
	e := w.begin(Part{Kind: PartCall, Name: variant, Argv: []Arg{{Text: variant, Known: true}}}, w.flow.node())
	defer e.end()
	if len(d.Args) == 0 {
		e.refuse("prints variables")
	}
	exports := variant == "export"
	refs, evaluates := false, false
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			exports = e.declOption(a.Value) || exports
			if o := a.Value.Lit(); strings.HasPrefix(o, "-") {
				refs = refs || strings.Contains(o, "n")
				evaluates = evaluates || strings.Contains(o, "i")
			}
			continue
		}
		name := litValue(a.Name)
		if a.Naked && a.Index == nil && a.Array == nil && a.Value == nil {
			if exports || variant == "readonly" {
				e.refuse(variant + " " + name)
			}
			continue
		}
		e.part.Argv = append(e.part.Argv, Arg{Text: name + "=", Known: false})
		w.assignNode(a, false)
		v := w.variable(name)
		if refs {
			w.vars.refs[name] = append(slices.Clone(v.alts), v.text)
		}
		if refs || evaluates {
			w.evaluatedValue(v)
		}
		if exports && !settableTo(name, v) {
			e.part.Effects.Env = append(e.part.Effects.Env, name)
			e.refuse("exports " + name + " to every later command")
		}
	}
}

func settableTo(name string, v value) bool { return settable[name] && harmlessAssignment(name, v) }

// declOption judges an option, or a word that becomes one or an assignment.
func (e *effects) declOption(x *syntax.Word) (exports bool) {
	arg := e.w.single(x)
	e.part.Argv = append(e.part.Argv, arg.arg())
	if !arg.known {
		e.unknown("a declaration that is not known before the run")
		e.w.vars.lost = true
		return false
	}
	if name, text, ok := strings.Cut(arg.text, "="); ok && syntax.ValidName(name) {
		e.w.assignment(name, value{text: text, known: true, node: arg.node})
		e.refuse("a declaration written as a string")
		return false
	}
	if strings.Trim(arg.text, "-+rlugaA") != "" {
		e.refuse("an attribute that changes what assignments do")
	}
	return strings.Contains(arg.text, "x")
}
