package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tera-pilot/tera-pilot"

// top is the top of the source tree, seen from this package.
const top = "../.."

// sourceFile is one Go file of the product. Name is relative to the top.
type sourceFile struct {
	name string
	room string // the folder, slash separated
	test bool
	ast  *ast.File
	fset *token.FileSet
}

// sources parses every Go file of the tree.
func sources(t *testing.T, mode parser.Mode) []sourceFile {
	t.Helper()
	var out []sourceFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "testdata", "node_modules", ".cache":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, mode)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		out = append(out, sourceFile{rel, filepath.ToSlash(filepath.Dir(rel)), strings.HasSuffix(name, "_test.go"), f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d files found: is this the source tree?", len(out))
	}
	return out
}

func importPath(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	return path
}

// read is the text of a file of the tree.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
