package commandpolicy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subscript judges the index of an array: bash evaluates it as arithmetic, and
// so runs the substitutions in any text that a variable in it holds.
func (w *walker) subscript(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	if word, ok := x.(*syntax.Word); ok && len(word.Parts) == 1 {
		if l, ok := word.Parts[0].(*syntax.Lit); ok && (l.Value == "@" || l.Value == "*") {
			return
		}
	}
	w.arithm(x)
}

// arithm walks an arithmetic expression. Its value is known only for constants
// and for variables that hold integers; a variable that may hold other text is
// a problem, since bash evaluates that text.
func (w *walker) arithm(x syntax.ArithmExpr) (text string, ok bool) {
	v, ok := w.arith(x)
	return strconv.FormatInt(v, 10), ok
}

func (w *walker) arith(x syntax.ArithmExpr) (int64, bool) {
	switch x := x.(type) {
	case nil:
		return 0, false
	case *syntax.Word:
		return w.arithWord(x)
	case *syntax.ParenArithm:
		return w.arith(x.X)
	case *syntax.UnaryArithm:
		return w.arithUnary(x)
	case *syntax.BinaryArithm:
		return w.arithBinary(x)
	case *syntax.FlagsArithm:
		w.problem("arithmetic that is not bash's own")
		return 0, false
	}
	w.unparsed("a kind of arithmetic that is not known")
	return 0, false
}

func (w *walker) arithWord(x *syntax.Word) (int64, bool) {
	if name, ok := bareName(x); ok {
		return w.arithValue(w.parameter(name))
	}
	if p, ok := arrayName(x); ok {
		w.param(p)
		w.problem("arithmetic on an array, whose text is evaluated")
		return 0, false
	}
	word := w.single(x)
	if word.known {
		return w.arithValue(value{text: word.text, known: true})
	}
	return w.arithValue(value{num: word.num, alts: word.alts})
}

// arithValue is the number that a value stands for.
func (w *walker) arithValue(v value) (int64, bool) {
	switch {
	case v.known && isInt(v.text):
		n, err := strconv.ParseInt(v.text, 0, 64)
		return n, err == nil
	case v.known && v.text == "", v.unset:
		return 0, true
	case v.num:
		return 0, false
	}
	w.evaluatedValue(v)
	w.problem("arithmetic evaluates text that is not known to be a number")
	return 0, false
}

// bareName recognises a variable name in arithmetic, written without $.
func bareName(x *syntax.Word) (string, bool) {
	if len(x.Parts) != 1 {
		return "", false
	}
	l, ok := x.Parts[0].(*syntax.Lit)
	return litValue(l), ok && syntax.ValidName(l.Value)
}

func litValue(l *syntax.Lit) string {
	if l == nil {
		return ""
	}
	return l.Value
}

// arrayName recognises name[index] in arithmetic.
func arrayName(x *syntax.Word) (*syntax.ParamExp, bool) {
	if len(x.Parts) != 1 {
		return nil, false
	}
	p, ok := x.Parts[0].(*syntax.ParamExp)
	return p, ok && p.Index != nil
}

func (w *walker) arithUnary(x *syntax.UnaryArithm) (int64, bool) {
	v, ok := w.arith(x.X)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		if word, isWord := x.X.(*syntax.Word); isWord {
			if name, isName := bareName(word); isName {
				w.assignment(name, value{num: true, plain: true})
				return 0, false
			}
		}
		return 0, false
	case syntax.Minus:
		return -v, ok
	case syntax.Plus:
		return v, ok
	}
	return 0, false
}

func (w *walker) arithBinary(x *syntax.BinaryArithm) (int64, bool) {
	if assigns(x.Op) {
		return w.arithAssign(x)
	}
	a, ok1 := w.arith(x.X)
	b, ok2 := w.arith(x.Y)
	if !ok1 || !ok2 {
		return 0, false
	}
	switch x.Op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn,
		syntax.XorBoolAssgn, syntax.PowAssgn:
		return true
	}
	return false
}

func (w *walker) arithAssign(x *syntax.BinaryArithm) (int64, bool) {
	v, ok := w.arith(x.Y)
	word, isWord := x.X.(*syntax.Word)
	if !isWord {
		w.problem("an arithmetic assignment to what is no name")
		return 0, false
	}
	if x.Op != syntax.Assgn {
		w.arith(x.X)
		ok = false
	}
	name, isName := bareName(word)
	if !isName {
		if p, isArray := arrayName(word); isArray {
			w.subscript(p.Index)
			return 0, false
		}
		w.problem("an arithmetic assignment to what is no name")
		return 0, false
	}
	w.assignment(name, value{num: true, known: ok, text: strconv.FormatInt(v, 10)})
	return v, ok
}

// evaluated walks the substitutions in text that bash expands when it comes to
// evaluate it, quoted as it may be: the subscript of a name, a prompt, what @P
// is applied to. It serves the deny list: nothing of the kind is proven.
func (w *walker) evaluated(text string) {
	if !strings.ContainsAny(text, "$`") || w.nesting >= maxNested || len(text) > w.budget {
		return
	}
	w.nesting++
	w.budget -= len(text)
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	if x, err := p.Document(&guard{r: strings.NewReader(text)}); err == nil && x != nil {
		w.subshell(func() { w.single(x) })
	}
	w.nesting--
}

// evaluatedValue is evaluated for all that a value may be.
func (w *walker) evaluatedValue(v value) {
	if v.known {
		w.evaluated(v.text)
	}
	for _, alt := range v.alts {
		w.evaluated(alt)
	}
}

func (x word) value() value {
	return value{text: x.text, known: x.known, plain: x.plain, num: x.num, node: x.node, alts: x.alts}
}
