package commandpolicy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param evaluates ${…}. Whatever nests in it is walked in any case.
func (w *walker) param(p *syntax.ParamExp) piece {
	if !plainParam(p) {
		w.problem("an expansion that is not bash's own")
		return piece{}
	}
	name := p.Param.Value
	w.subscript(p.Index)
	v := w.parameter(name)
	if p.Index != nil {
		alts := v.alts
		if v.known {
			alts = append(slices.Clone(alts), v.text)
		}
		v = value{plain: v.plain, node: w.flow.variable(name), private: v.private, alts: alts}
	}
	switch {
	case p.Excl, p.Names != 0:
		w.problem("an indirect expansion")
		return piece{}
	case p.Length:
		return piece{plain: true, num: true}
	case p.Slice != nil:
		w.arithm(p.Slice.Offset)
		w.arithm(p.Slice.Length)
		return w.derived(v)
	case p.Repl != nil:
		w.single(p.Repl.Orig)
		with := w.single(p.Repl.With)
		out := w.derived(v)
		out.plain = out.plain && (with.known || with.plain)
		out.node = w.merge(out.node, with.node)
		return out
	case p.Exp != nil:
		return w.expansion(name, v, p.Exp)
	}
	out := w.valuePiece(v)
	out.list = p.Index != nil || name == "@"
	return out
}

// plainParam refuses what only other shells have.
func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Width && !p.IsSet && p.NestedParam == nil && len(p.Modifiers) == 0 &&
		p.Split == syntax.OptUnset && p.GlobSubst == syntax.OptUnset && p.RcExpand == syntax.OptUnset
}

// parameter looks up a variable or a special parameter.
func (w *walker) parameter(name string) value {
	switch name {
	case "?", "$", "#", "!", "PPID":
		return value{plain: true, num: true}
	case "-", "0":
		return value{plain: true}
	case "PWD":
		if len(w.dirs) == 1 {
			return value{text: w.dirs[0], known: true}
		}
		return value{plain: true}
	case "_":
		return value{}
	case "@", "*":
		return value{plain: true, node: w.args, alts: w.params}
	}
	if name[0] >= '0' && name[0] <= '9' {
		// Whoever passes parameters answers for them: see passes.
		return value{plain: true, node: w.args, alts: w.params}
	}
	return w.variable(name)
}

func (w *walker) valuePiece(v value) piece {
	if v.unset {
		return piece{known: true}
	}
	p := piece{text: v.text, known: v.known, plain: v.plain || v.known && !v.private, num: v.num, node: v.node, alts: v.alts}
	if v.known && v.private {
		w.problem("prints or passes on a variable of the environment")
	}
	return p
}

// derived is a value made from v by cutting or replacing.
func (w *walker) derived(v value) piece {
	return piece{plain: (v.known || v.plain || v.unset) && !v.private, node: v.node}
}

// expansion evaluates ${name OP word}.
func (w *walker) expansion(name string, v value, e *syntax.Expansion) piece {
	word := w.single(e.Word)
	empty := v.unset || v.known && v.text == ""
	filled := v.known && v.text != ""
	alt := piece{text: word.text, known: word.known, plain: word.plain, node: word.node, alts: word.alts}
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			w.assignment(name, value{plain: word.plain || word.known, node: word.node, alts: append(slices.Clone(word.alts), word.text)})
		}
		if filled {
			return w.valuePiece(v)
		}
		if v.unset || empty && e.Op != syntax.DefaultUnset && e.Op != syntax.AssignUnset {
			return alt
		}
		return w.oneOf(v, alt)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if filled {
			return alt
		}
		if v.unset {
			return piece{known: true}
		}
		return w.oneOf(value{text: "", known: true}, alt)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return w.valuePiece(v)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return w.derived(v)
	}
	w.evaluatedValue(v)
	w.problem("an expansion that evaluates the value once more")
	return piece{}
}

// oneOf is a piece that is either v or alt.
func (w *walker) oneOf(v value, alt piece) piece {
	out := piece{
		plain: (v.plain || v.known && !v.private || v.unset) && (alt.plain || alt.known),
		node:  w.merge(v.node, alt.node),
	}
	if alt.known {
		out.alts = append(out.alts, alt.text)
	}
	if v.known {
		out.alts = append(out.alts, v.text)
	}
	return out
}

// substitution evaluates $(…): its commands are parts of their own, its output
// is known only where it is known text.
func (w *walker) substitution(p *syntax.CmdSubst) piece {
	if p.TempFile || p.ReplyVar {
		w.problem("a substitution that runs in this shell")
	}
	if name, ok := onlyInput(p.Stmts); ok { // $(<file)
		return w.fileContent(name)
	}
	from := len(w.a.Parts)
	out := w.flow.node()
	w.subshell(func() {
		w.io.out = out
		w.stmts(p.Stmts)
	})
	clean := true
	for _, part := range w.a.Parts[from:] {
		clean = clean && part.Proven
	}
	text, ok := w.flow.known(out)
	if len(p.Stmts) == 0 {
		text, ok = "", true
	}
	return piece{text: strings.TrimRight(text, "\n"), known: ok, plain: clean, node: out}
}

// onlyInput recognises a lone `< file`.
func onlyInput(stmts []*syntax.Stmt) (*syntax.Word, bool) {
	if len(stmts) != 1 || stmts[0].Cmd != nil || len(stmts[0].Redirs) != 1 {
		return nil, false
	}
	r := stmts[0].Redirs[0]
	return r.Word, r.Op == syntax.RdrIn && r.N == nil
}

// fileContent is the content of a file that is read by the shell itself.
func (w *walker) fileContent(name *syntax.Word) piece {
	n := w.flow.node()
	file := w.single(name)
	e := w.begin(Part{Kind: PartRedirect, Name: "<", Argv: []Arg{file.arg()}}, n)
	e.use(kindRead, file, "")
	e.end()
	return piece{plain: len(e.why) == 0, node: n}
}

// process evaluates <(…) and >(…): a file that is a pipe.
func (w *walker) process(p *syntax.ProcSubst) piece {
	n := w.flow.node()
	w.subshell(func() {
		switch p.Op {
		case syntax.CmdIn:
			w.io.out = n
		case syntax.CmdOut:
			w.io.in = n
		default:
			w.problem("a process substitution that is not bash's own")
		}
		w.stmts(p.Stmts)
	})
	return piece{text: "/dev/fd/63", known: true, quoted: true, plain: true, stream: true, node: n}
}
