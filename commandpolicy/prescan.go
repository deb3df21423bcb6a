package commandpolicy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prescan is what must be known of a text before it is walked. Loops run their
// bodies again, and functions and traps run theirs elsewhere, with whatever
// the text has done by then; so what changes anywhere is noted first.
type prescan struct {
	moves    bool            // a cd within a loop or a function
	anyMove  bool            // a cd anywhere
	globs    bool            // patterns may be read otherwise at some time
	dynamic  bool            // something may set variables that are not named
	declared map[string]bool // functions
	removed  map[string]bool // functions that may be unset
	// outside are variables that the text sets outside of loops and functions;
	// true when only plain text is assigned.
	outside map[string]bool
}

// scan adds the facts of a list of statements; names that are set in loops and
// functions become fickle: true when they only ever hold integers.
func (p *prescan) scan(stmts []*syntax.Stmt, v *vars) {
	if p.declared == nil {
		p.declared, p.removed, p.outside = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	again := 0 // depth of loops and functions
	var stack []bool
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if n == nil {
				if stack[len(stack)-1] {
					again--
				}
				stack = stack[:len(stack)-1]
				return true
			}
			repeats := p.visit(n, again > 0, v)
			if repeats {
				again++
			}
			stack = append(stack, repeats)
			return true
		})
	}
}

// visit notes one node, and says whether what is below it can run repeatedly.
func (p *prescan) visit(n syntax.Node, again bool, v *vars) bool {
	switch n := n.(type) {
	case *syntax.WhileClause:
		return true
	case *syntax.ForClause:
		if l, ok := n.Loop.(*syntax.WordIter); ok {
			if again {
				v.repeated[l.Name.Value] = true
			}
			p.sets(l.Name.Value, false, v, false, false)
		}
		return true
	case *syntax.FuncDecl:
		if n.Name != nil {
			p.declared[n.Name.Value] = true
		}
		return true
	case *syntax.CallExpr:
		p.visitCall(n, again, v)
	case *syntax.Assign:
		if n.Name != nil {
			num := n.Value != nil && isInt(n.Value.Lit()) && !n.Append
			p.sets(n.Name.Value, again, v, num, n.Array == nil && literal(n.Value))
		}
	case *syntax.BinaryArithm:
		if assigns(n.Op) {
			p.setsArithm(n.X, again, v)
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			p.setsArithm(n.X, again, v)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
			p.sets(n.Param.Value, again, v, false, literal(n.Exp.Word))
		}
	case *syntax.Redirect:
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			p.sets(strings.Trim(n.N.Value, "{}"), again, v, true, true)
		}
	case *syntax.CoprocClause:
		if n.Name != nil {
			p.sets(n.Name.Lit(), again, v, true, true)
		}
	}
	return false
}

// literal reports whether a word is text that is written out.
func literal(x *syntax.Word) bool {
	if x == nil {
		return true
	}
	_, ok := staticText(x)
	return ok
}

// sets notes that the text sets a variable.
func (p *prescan) sets(name string, again bool, v *vars, num, plain bool) {
	if again {
		if old, ok := v.fickle[name]; ok {
			num = num && old
		}
		v.fickle[name] = num
		return
	}
	if old, ok := p.outside[name]; ok {
		plain = plain && old
	}
	p.outside[name] = plain
}

func (p *prescan) setsArithm(x syntax.ArithmExpr, again bool, v *vars) {
	if word, ok := x.(*syntax.Word); ok {
		if name, ok := bareName(word); ok {
			p.sets(name, again, v, true, true)
		}
	}
}

// visitCall notes the builtins that change the shell. A name that is not known
// here may be any of them.
func (p *prescan) visitCall(n *syntax.CallExpr, again bool, v *vars) {
	if len(n.Args) == 0 {
		return
	}
	name, _ := staticText(n.Args[0])
	switch name {
	case "cd", "pushd", "popd", "command", "builtin", "", "eval", "source", ".", "trap":
		p.anyMove = true
		p.moves = p.moves || again
	}
	switch name {
	case "eval", "source", ".", "trap":
		p.dynamic = true
		v.lost = v.lost || again && name != "trap"
	case "shopt":
		p.globs = true
	case "set":
		p.globs = p.globs || setsGlobs(n.Args[1:])
	case "read", "mapfile", "readarray", "getopts", "printf", "wait", "unset", "command", "builtin", "", "declare", "typeset", "local", "export", "readonly":
		p.setters(n.Args[1:], name, again, v)
	}
}

// setters notes the names that a builtin is given to set.
func (p *prescan) setters(args []*syntax.Word, by string, again bool, v *vars) {
	for _, a := range args {
		text, ok := staticText(a)
		if !ok && by != "printf" {
			p.dynamic = true
			v.lost = v.lost || again
			continue
		}
		text, _, _ = strings.Cut(text, "=")
		text = strings.TrimPrefix(text, "-v")
		if !syntax.ValidName(text) {
			continue
		}
		if by == "printf" && len(args) > 1 && !strings.HasPrefix(args[0].Lit(), "-") {
			continue // printf without an option sets nothing
		}
		p.sets(text, again, v, false, false)
		if by == "unset" {
			p.removed[text] = true
		}
	}
}

// setsGlobs reports whether set may switch file names off or on.
func setsGlobs(args []*syntax.Word) bool {
	for _, a := range args {
		text, ok := staticText(a)
		if !ok || strings.HasPrefix(text, "noglob") || len(text) > 1 && (text[0] == '-' || text[0] == '+') && strings.Contains(text, "f") {
			return true
		}
	}
	return false
}
