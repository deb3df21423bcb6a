package house

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"testing"
)

// TestPackagesKeepNothing: what stands at package level is written where it is
// declared and nowhere else, so that two sessions of a process share nothing by
// accident, and a test changes nothing for another one (docs/architecture.md,
// section 4).
func TestPackagesKeepNothing(t *testing.T) {
	files := sources(t, 0)
	vars := map[string]map[string]*ast.ValueSpec{} // by folder and name
	each := func(do func(dir string, f sourceFile)) {
		for _, f := range files {
			if !f.test {
				do(filepath.Dir(f.name), f)
			}
		}
	}
	each(func(dir string, f sourceFile) {
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					for _, n := range s.(*ast.ValueSpec).Names {
						if vars[dir] == nil {
							vars[dir] = map[string]*ast.ValueSpec{}
						}
						vars[dir][n.Name] = s.(*ast.ValueSpec)
					}
				}
			}
		}
	})
	if len(vars) < 10 {
		t.Fatalf("only %d packages with variables were found", len(vars))
	}
	each(func(dir string, f sourceFile) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, target := range written(n) {
				id := root(target)
				if id == nil {
					continue
				}
				spec := vars[dir][id.Name]
				if spec != nil && (id.Obj == nil || id.Obj.Decl == spec) {
					t.Errorf("%s: %s stands at package level and is written: hand it down", f.fset.Position(n.Pos()), id.Name)
				}
			}
			return true
		})
	})
}

// written are what a node writes to, or hands on to be written to.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
			return n.Args[:1]
		}
	}
	return nil
}

// root is the variable that an expression is a part of; nil for none.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}
