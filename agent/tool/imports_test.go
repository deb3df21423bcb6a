package tool

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds the package to a list of imports, none of which reaches a
// file, a process or the network, and to the parts of them that do not.
func TestImports(t *testing.T) {
	allowed := []string{
		"bytes", "context", "crypto/sha256", "encoding/binary", "encoding/hex", "encoding/json", "errors", "fmt", "io",
		"path", "regexp", "slices", "sort", "strconv", "strings", "sync", "time", "unicode", "unicode/utf16", "unicode/utf8",
		"github.com/bmatcuk/doublestar/v4", "github.com/sergi/go-diff/diffmatchpatch",
		"github.com/tera-pilot/tera-pilot/agent/effect",
		"github.com/tera-pilot/tera-pilot/internal/picture",
		"github.com/tera-pilot/tera-pilot/internal/strictjson", // bytes in, a value out
	}
	parts := map[string][]string{
		"doublestar": {"MatchUnvalidated", "ValidatePattern"}, // Glob and others walk file systems
		"sync":       {"OnceValue"},                           // an expression that is made when it is first used; nothing else is shared
		"fmt":        {"Sprintf", "Sprint", "Fprintf", "Errorf", "Appendf"},
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil || !slices.Contains(allowed, path) || imp.Name != nil {
				t.Errorf("%s imports %s: a tool touches the world through View and Env alone", name, imp.Path.Value)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && parts[x.Name] != nil && !slices.Contains(parts[x.Name], sel.Sel.Name) {
				t.Errorf("%s uses %s.%s", name, x.Name, sel.Sel.Name)
			}
			return true
		})
		for _, c := range f.Comments {
			if strings.Contains(c.List[0].Text, "//go:") {
				t.Errorf("%s has the directive %s", name, c.List[0].Text)
			}
		}
	}
}
