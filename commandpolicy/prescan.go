package commandpolicy

import (
	"mvdan.cc/sh/v3/syntax"
)

// prescan is what must be known of a text before it is walked: the names that
// loops and functions set, since their bodies can run again, and earlier than
// the place where they stand.
type prescan struct {
	moves    bool            // a cd within a loop or a function
	anyMove  bool            // a cd anywhere
	declared map[string]bool // functions
}

// scan adds the facts of a list of statements; names that are set in loops and
// functions become fickle: true when they only ever hold integers.
func (p *prescan) scan(stmts []*syntax.Stmt, v *vars) {
	if p.declared == nil {
		p.declared = map[string]bool{}
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
		if l, ok := n.Loop.(*syntax.WordIter); ok && again {
			v.repeated[l.Name.Value] = true
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
		if again && n.Name != nil {
			fickle(v, n.Name.Value, n.Value != nil && isInt(n.Value.Lit()) && !n.Append)
		}
	case *syntax.BinaryArithm:
		if word, ok := n.X.(*syntax.Word); again && ok && assigns(n.Op) {
			if name, ok := bareName(word); ok {
				fickle(v, name, true)
			}
		}
	case *syntax.UnaryArithm:
		if word, ok := n.X.(*syntax.Word); again && ok && (n.Op == syntax.Inc || n.Op == syntax.Dec) {
			if name, ok := bareName(word); ok {
				fickle(v, name, true)
			}
		}
	case *syntax.ParamExp:
		if again && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
			fickle(v, n.Param.Value, false)
		}
	}
	return false
}

func (p *prescan) visitCall(n *syntax.CallExpr, again bool, v *vars) {
	if len(n.Args) == 0 {
		return
	}
	name, ok := staticText(n.Args[0])
	if !ok {
		name = ""
	}
	switch name {
	case "cd", "pushd", "popd", "command", "builtin":
		p.anyMove = true
		p.moves = p.moves || again
	case "eval", "source", ".":
		p.anyMove = true
		p.moves = p.moves || again
		v.lost = v.lost || again
	case "read", "mapfile", "readarray", "getopts", "printf", "wait", "unset":
		if again {
			for _, a := range n.Args[1:] {
				if name := a.Lit(); syntax.ValidName(name) {
					fickle(v, name, false)
				}
			}
		}
	case "":
		p.anyMove = true // a name that is not known here may be cd
		p.moves = p.moves || again
	}
}

func fickle(v *vars, name string, num bool) {
	if old, ok := v.fickle[name]; ok {
		num = num && old
	}
	v.fickle[name] = num
}
