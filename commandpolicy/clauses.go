package commandpolicy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// binary walks pipelines and lists. Both are chains that lean to the left and
// can be long, so they are not walked by recursion.
func (w *walker) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		w.pipeline(c)
		return
	}
	var ops []syntax.BinCmdOperator
	var rest []*syntax.Stmt
	first := unchain(c, func(op syntax.BinCmdOperator) bool { return op == syntax.AndStmt || op == syntax.OrStmt }, &ops, &rest)
	w.stmt(first)
	all := w.dirs
	for i, s := range slices.Backward(rest) {
		if ops[i] == syntax.AndStmt && w.passed != nil {
			w.dirs = w.passed
		}
		m, defined := w.vars.mark(), len(w.defined)
		w.stmt(s)
		w.vars.blur(m)
		w.unsure(defined)
		all = unite(all, w.dirs)
	}
	w.dirs, w.passed = all, nil
}

// unchain takes a chain apart; rest and ops are in reverse order.
func unchain(c *syntax.BinaryCmd, same func(syntax.BinCmdOperator) bool, ops *[]syntax.BinCmdOperator, rest *[]*syntax.Stmt) *syntax.Stmt {
	for {
		*ops = append(*ops, c.Op)
		*rest = append(*rest, c.Y)
		next, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || !same(next.Op) || len(c.X.Redirs) > 0 || c.X.Background || c.X.Negated {
			return c.X
		}
		c = next
	}
}

func (w *walker) pipeline(c *syntax.BinaryCmd) {
	var ops []syntax.BinCmdOperator
	var rest []*syntax.Stmt
	first := unchain(c, func(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }, &ops, &rest)
	stmts := []*syntax.Stmt{first}
	for _, s := range slices.Backward(rest) {
		stmts = append(stmts, s)
	}
	slices.Reverse(ops)
	in := w.io.in
	for i, s := range stmts {
		w.detached(func() {
			w.io.in = in
			if i < len(ops) {
				w.io.out = w.flow.node()
				in = w.io.out
				if ops[i] == syntax.PipeAll {
					w.io.err = in
				}
			}
			w.stmt(s)
		})
	}
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond)
		w.maybe(func() { w.stmts(c.Then) })
	}
}

func (w *walker) whileClause(c *syntax.WhileClause) {
	if isEndless(c.Cond) != c.Until && spawnsForever(c.Do) {
		w.deny(ruleForkBomb)
	}
	w.loop(func() {
		w.stmts(c.Cond)
		w.stmts(c.Do)
	})
}

// loop runs f, which the shell repeats.
func (w *walker) loop(f func()) {
	w.maybe(func() {
		if w.facts.moves {
			w.dirs = nil
		}
		f()
	})
}

func (w *walker) forClause(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		w.forWords(c, l)
	case *syntax.CStyleLoop:
		w.arithmIf(l.Init)
		w.loop(func() {
			w.arithmIf(l.Cond)
			w.stmts(c.Do)
			w.arithmIf(l.Post)
		})
		if l.Cond == nil && spawnsForever(c.Do) {
			w.deny(ruleForkBomb)
		}
	default:
		w.unparsed("a kind of loop that is not known")
		w.loop(func() { w.stmts(c.Do) })
	}
}

func (w *walker) arithmIf(x syntax.ArithmExpr) {
	if x != nil {
		w.arithm(x)
	}
}

// forWords walks the body once for each word where that is cheap and the words
// are known, else once for all.
func (w *walker) forWords(c *syntax.ForClause, l *syntax.WordIter) {
	items := w.fields(l.Items)
	name := l.Name.Value
	size := int(c.DonePos.Offset()) - int(c.DoPos.Offset())
	cheap := size > 0 && len(items)*size <= w.unroll
	if c.Select || !l.InPos.IsValid() || len(items) == 0 || !cheap || !allKnown(items) {
		v := w.eachOf(items)
		v.plain = v.plain && l.InPos.IsValid() && !c.Select
		w.sets(name)
		w.loop(func() { w.vars.bind(name, v); w.stmts(c.Do); w.vars.unbind(name, v) })
		return
	}
	w.unroll -= len(items) * size
	w.sets(name)
	w.maybe(func() {
		for _, it := range items {
			v := value{text: it.text, known: true, node: it.node}
			w.vars.bind(name, v)
			w.stmts(c.Do)
			w.vars.unbind(name, v)
		}
	})
}

// eachOf is the value of a variable that is given each of the words in turn.
func (w *walker) eachOf(words []word) value {
	v := value{plain: true}
	for _, x := range words {
		v.plain = v.plain && (x.known || x.plain)
		v.node = w.merge(v.node, x.node)
		if x.known && len(v.alts) < maxAlts {
			v.alts = append(v.alts, x.text)
		}
		if len(v.alts)+len(x.alts) <= maxAlts {
			v.alts = append(v.alts, x.alts...)
		}
		if x.glob != "" && len(v.alts) < maxAlts {
			v.alts = append(v.alts, x.glob)
		}
	}
	return v
}

func allKnown(words []word) bool {
	return !slices.ContainsFunc(words, func(x word) bool { return !x.known })
}

func (w *walker) caseClause(c *syntax.CaseClause) {
	w.single(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.single(p)
		}
		w.maybe(func() { w.stmts(item.Stmts) })
	}
}

// funcDecl walks the body of a function where it is declared, knowing nothing
// of what holds where it will be called.
func (w *walker) funcDecl(c *syntax.FuncDecl) {
	if c.Name == nil {
		w.unparsed("a function without a name")
		return
	}
	f := w.function(c.Name.Value)
	w.starts[c.Name.Value] = append(w.starts[c.Name.Value], surely(c.Body, false, maxNested)...)
	w.subshell(func() {
		w.io = streams{in: f.in, out: f.out}
		w.args, w.params = f.args, nil
		w.elsewhen(func() { w.stmt(c.Body) })
	})
	if name := c.Name.Value; !w.facts.removed[name] && !w.facts.dynamic {
		w.sure[name] = true
		w.defined = append(w.defined, name)
	}
}

func (w *walker) function(name string) *function {
	f := w.funcs[name]
	if f == nil {
		f = &function{in: w.flow.node(), out: w.flow.node(), args: w.flow.node()}
		w.funcs[name] = f
	}
	return f
}

func (w *walker) coproc(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		name = w.single(c.Name).text
	}
	// Both ends are numbers in one array: whatever goes to either may come
	// out of the other.
	n := w.flow.node()
	w.assignment(name, value{num: true, plain: true, node: n})
	w.flow.edge(w.flow.variable(name), n)
	w.detached(func() {
		w.io.in, w.io.out = n, n
		w.stmt(c.Stmt)
	})
}
