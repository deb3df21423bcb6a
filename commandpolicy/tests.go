package commandpolicy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// testClause judges [[ … ]].
func (w *walker) testClause(c *syntax.TestClause) {
	e := w.begin(Part{Kind: PartCall, Name: "[[", Argv: []Arg{{Text: "[[", Known: true}}}, w.flow.node())
	e.test(c.X)
	e.end()
}

func (e *effects) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		e.w.single(x)
	case *syntax.ParenTest:
		e.test(x.X)
	case *syntax.UnaryTest:
		e.unaryTest(x)
	case *syntax.BinaryTest:
		e.binaryTest(x)
	default:
		e.w.unparsed("a kind of test that is not known")
	}
}

func (e *effects) unaryTest(x *syntax.UnaryTest) {
	word, ok := x.X.(*syntax.Word)
	if !ok {
		e.test(x.X)
		return
	}
	arg := e.w.single(word)
	switch x.Op {
	case syntax.TsVarSet, syntax.TsRefVar:
		if !arg.known || !syntax.ValidName(arg.text) {
			e.w.evaluatedValue(arg.value())
			e.refuse("a variable name that bash may evaluate")
		}
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsOptSet, syntax.TsFdTerm, syntax.TsNot, syntax.TsParen:
	default:
		e.use(kindMeta, arg, "")
	}
}

func (e *effects) binaryTest(x *syntax.BinaryTest) {
	a, ok1 := x.X.(*syntax.Word)
	b, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		e.test(x.X)
		e.test(x.Y)
		return
	}
	left, right := e.w.single(a), e.w.single(b)
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, v := range []word{left, right} {
			if !(v.num || v.known && isInt(v.text)) {
				e.w.evaluatedValue(v.value())
				e.refuse("a comparison that evaluates text as arithmetic")
			}
		}
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		e.use(kindMeta, left, "")
		e.use(kindMeta, right, "")
	case syntax.TsReMatch, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsBefore, syntax.TsAfter:
	default:
		e.refuse("a comparison that is not known")
	}
}

var textOperators = []string{"=", "==", "!=", "<", ">"}
var numberOperators = []string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
var fileOperators = []string{"-nt", "-ot", "-ef"}

// testBuiltin judges test and [. Its words are compared as they are, but -v
// evaluates subscripts, and a word that is not known could be an operator.
func (j *judged) testBuiltin() bool {
	j.call = &call{operands: j.args}
	words := j.args
	if j.name == "[" {
		if n := len(words) - 1; n < 0 || words[n].text != "]" {
			j.refuse("[ without ]")
			return true
		}
		words = words[:len(words)-1]
	}
	for i := 0; i < len(words); {
		i += j.testTerm(words[i:])
	}
	return true
}

// testTerm judges the term at the start of words and returns its length.
func (j *judged) testTerm(words []word) int {
	x := words[0]
	if len(words) >= 3 && words[1].known {
		switch op := words[1].text; {
		case slices.Contains(textOperators, op):
			return 3
		case slices.Contains(numberOperators, op):
			return 3
		case slices.Contains(fileOperators, op):
			j.use(kindMeta, x, "")
			j.use(kindMeta, words[2], "")
			return 3
		}
	}
	if !x.known {
		if len(words) > 1 || len(j.args) > 2 {
			j.unknown("a word that is not known before the run may be an operator")
		}
		return 1
	}
	switch {
	case len(x.text) != 2 || x.text[0] != '-' || len(words) == 1:
		return 1
	case x.text == "-v" || x.text == "-R":
		if !words[1].known || !syntax.ValidName(words[1].text) {
			j.w.evaluatedValue(words[1].value())
			j.refuse("a variable name that bash may evaluate")
		}
		return 2
	case x.text == "-z" || x.text == "-n" || x.text == "-t" || x.text == "-o" || x.text == "-a":
		if x.text == "-a" && len(words) == 2 {
			j.use(kindMeta, words[1], "")
		}
		if x.text == "-z" || x.text == "-n" || x.text == "-t" {
			return 2
		}
		return 1
	}
	j.use(kindMeta, words[1], "")
	return 2
}
