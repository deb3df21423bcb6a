package commandpolicy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// nodeTypes maps every type of the parser's tree that can stand where the
// walker switches, to how it is walked here. A type that a later version adds
// is missing from the map, and the test below turns red.
var nodeTypes = map[string]func(*walker){
	"CallExpr":     func(w *walker) { w.node(&syntax.CallExpr{Args: []*syntax.Word{wordOf("ls")}}) },
	"IfClause":     func(w *walker) { w.node(&syntax.IfClause{}) },
	"WhileClause":  func(w *walker) { w.node(&syntax.WhileClause{}) },
	"ForClause":    func(w *walker) { w.node(&syntax.ForClause{Loop: &syntax.CStyleLoop{}}) },
	"CaseClause":   func(w *walker) { w.node(&syntax.CaseClause{Word: wordOf("x")}) },
	"Block":        func(w *walker) { w.node(&syntax.Block{}) },
	"Subshell":     func(w *walker) { w.node(&syntax.Subshell{}) },
	"BinaryCmd":    func(w *walker) { w.node(&syntax.BinaryCmd{Op: syntax.AndStmt, X: &syntax.Stmt{}, Y: &syntax.Stmt{}}) },
	"FuncDecl":     func(w *walker) { w.node(&syntax.FuncDecl{Name: &syntax.Lit{Value: "f"}, Body: &syntax.Stmt{}}) },
	"ArithmCmd":    func(w *walker) { w.node(&syntax.ArithmCmd{X: wordOf("1")}) },
	"TestClause":   func(w *walker) { w.node(&syntax.TestClause{X: wordOf("x")}) },
	"DeclClause":   func(w *walker) { w.node(&syntax.DeclClause{Variant: &syntax.Lit{Value: "local"}}) },
	"LetClause":    func(w *walker) { w.node(&syntax.LetClause{Exprs: []syntax.ArithmExpr{wordOf("1")}}) },
	"TimeClause":   func(w *walker) { w.node(&syntax.TimeClause{}) },
	"CoprocClause": func(w *walker) { w.node(&syntax.CoprocClause{Stmt: &syntax.Stmt{}}) },
	"TestDecl":     nil, // of another shell: refused

	"Lit":       func(w *walker) { w.pieces(&syntax.Lit{Value: "x"}, true, true) },
	"SglQuoted": func(w *walker) { w.pieces(&syntax.SglQuoted{Value: "x"}, true, true) },
	"DblQuoted": func(w *walker) { w.pieces(&syntax.DblQuoted{}, true, true) },
	"ParamExp":  func(w *walker) { w.pieces(&syntax.ParamExp{Param: &syntax.Lit{Value: "x"}}, true, true) },
	"CmdSubst":  func(w *walker) { w.pieces(&syntax.CmdSubst{}, true, true) },
	"ArithmExp": func(w *walker) { w.pieces(&syntax.ArithmExp{X: wordOf("1")}, true, true) },
	"ProcSubst": func(w *walker) { w.pieces(&syntax.ProcSubst{Op: syntax.CmdIn}, true, true) },
	"ExtGlob":   func(w *walker) { w.pieces(&syntax.ExtGlob{Pattern: &syntax.Lit{Value: "x"}}, true, true) },
	"BraceExp":  func(w *walker) { w.pieces(&syntax.BraceExp{}, true, true) },

	"Word":         func(w *walker) { w.single(wordOf("x")) },
	"ParenArithm":  func(w *walker) { w.arith(&syntax.ParenArithm{X: wordOf("1")}) },
	"UnaryArithm":  func(w *walker) { w.arith(&syntax.UnaryArithm{Op: syntax.Minus, X: wordOf("1")}) },
	"BinaryArithm": func(w *walker) { w.arith(&syntax.BinaryArithm{Op: syntax.Add, X: wordOf("1"), Y: wordOf("1")}) },
	"FlagsArithm":  func(w *walker) { w.arith(&syntax.FlagsArithm{}) },

	"ParenTest": func(w *walker) { w.testClause(&syntax.TestClause{X: &syntax.ParenTest{X: wordOf("x")}}) },
	"UnaryTest": func(w *walker) {
		w.testClause(&syntax.TestClause{X: &syntax.UnaryTest{Op: syntax.TsEmpStr, X: wordOf("x")}})
	},
	"BinaryTest": func(w *walker) {
		w.testClause(&syntax.TestClause{X: &syntax.BinaryTest{Op: syntax.TsMatch, X: wordOf("x"), Y: wordOf("x")}})
	},

	"WordIter":   func(w *walker) { w.forClause(&syntax.ForClause{Loop: &syntax.WordIter{Name: &syntax.Lit{Value: "x"}}}) },
	"CStyleLoop": func(w *walker) { w.forClause(&syntax.ForClause{Loop: &syntax.CStyleLoop{}}) },
}

func wordOf(s string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
}

// Every type of node that the parser knows is known to the walker.
func TestEveryNodeTypeIsWalked(t *testing.T) {
	markers := parserTypes(t)
	if len(markers) < 30 {
		t.Fatalf("only %d types found in the parser: %v", len(markers), markers)
	}
	for _, name := range markers {
		walk, ok := nodeTypes[name]
		if !ok {
			t.Errorf("the parser has a type %s that the walker does not know", name)
			continue
		}
		if walk == nil {
			continue
		}
		a := &Analysis{Parsed: true}
		walk(newWalker(a, Context{Workspace: "/workspace", Look: nothing{}}))
		if !a.Parsed {
			t.Errorf("%s is walked as something that is not known: %v", name, a.Problems)
		}
	}
	for name := range nodeTypes {
		if !slices.Contains(markers, name) {
			t.Errorf("the parser has no type %s any more", name)
		}
	}
}

// parserTypes lists the types of the parser that have one of its marker
// methods, from its source.
func parserTypes(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "mvdan.cc/sh/v3/syntax").Output()
	if err != nil {
		t.Fatalf("the source of the parser cannot be found: %v", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "nodes.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		switch f.Name.Name {
		case "commandNode", "wordPartNode", "arithmExprNode", "testExprNode", "loopNode":
		default:
			continue
		}
		star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
		if !ok {
			t.Fatalf("%s has a receiver of an unexpected form", f.Name.Name)
		}
		name := star.X.(*ast.Ident).Name
		if !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return types
}

// Operators that the parser may add to its enumerations end in refusals.
func TestUnknownOperatorsAreRefused(t *testing.T) {
	for name, walk := range map[string]func(*walker){
		"redirection": func(w *walker) { w.redirect(&syntax.Redirect{Op: 9999, Word: wordOf("x")}) },
		"expansion": func(w *walker) {
			w.param(&syntax.ParamExp{Param: &syntax.Lit{Value: "x"}, Exp: &syntax.Expansion{Op: 9999, Word: wordOf("y")}})
		},
		"test": func(w *walker) {
			w.testClause(&syntax.TestClause{X: &syntax.BinaryTest{Op: 9999, X: wordOf("x"), Y: wordOf("x")}})
		},
		"process substitution": func(w *walker) { w.process(&syntax.ProcSubst{Op: 9999}) },
	} {
		a := &Analysis{Parsed: true}
		w := newWalker(a, Context{Workspace: "/workspace", Look: nothing{}})
		walk(w)
		w.finish()
		if a.ReadOnly {
			t.Errorf("an unknown %s is taken as harmless", name)
		}
	}
}
