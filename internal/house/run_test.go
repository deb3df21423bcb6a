package house

import (
	"go/ast"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOnlyTheDispatcherRunsTools counts, with types, who calls the method Run
// of the interface tool.Tool, or takes it as a value.
func TestOnlyTheDispatcherRunsTools(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Dir:  top,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedFiles | packages.NeedImports,
	}, "./agent/...", "./tui/...", "./cmd/...", "./mcp/...", "./websearch/...")
	if err != nil {
		t.Fatal(err)
	}
	var callers []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, e)
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && isToolRun(p.TypesInfo, sel) {
					callers = append(callers, p.Fset.Position(sel.Pos()).String())
				}
				return true
			})
		}
	}
	if len(callers) != 1 {
		t.Errorf("Tool.Run is used in %d places, and must be in one, Dispatcher.perform: %v", len(callers), callers)
	}
}

func isToolRun(info *types.Info, sel *ast.SelectorExpr) bool {
	s, ok := info.Selections[sel]
	if !ok || s.Obj().Name() != "Run" {
		return false
	}
	recv := s.Recv()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	pkg := named.Obj().Pkg()
	if pkg.Path() != module+"/agent/tool" {
		return false
	}
	// The interface itself, and every type that is a tool.
	iface, ok := pkg.Scope().Lookup("Tool").Type().Underlying().(*types.Interface)
	return ok && (types.Implements(named, iface) || types.Implements(types.NewPointer(named), iface))
}
