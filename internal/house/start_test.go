package house

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestNothingIsCompiledAtStart: each start of the program pays for what is made
// at package level, so a regular expression is made when it is first used
// (docs/architecture.md, section 6).
func TestNothingIsCompiledAtStart(t *testing.T) {
	for _, f := range sources(t, 0) {
		if f.test || strings.HasPrefix(f.name, "contrib") {
			continue // no part of the program
		}
		for _, d := range f.ast.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				if compiles(n) {
					t.Errorf("%s: a regular expression is made at start: put it into sync.OnceValue", f.fset.Position(n.Pos()))
				}
				return true
			})
		}
	}
}

// compiles says that a node calls one of regexp's makers.
func compiles(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "regexp" && (sel.Sel.Name == "MustCompile" || sel.Sel.Name == "MustCompilePOSIX")
}
