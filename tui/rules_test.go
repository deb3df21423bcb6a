package tui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// allowedImports is what the front end may stand on: values of the session,
// internal packages, and what draws. No policy, path, shell or network
// package is among it.
var allowedImports = []string{
	"bufio", "bytes", "cmp", "context", "crypto/rand", "encoding/base64", "errors", "fmt", "hash/fnv", "image/color", "io", "maps", "os", "os/signal", "runtime/debug", "slices", "strconv", "strings", "sync", "sync/atomic", "time",
	"unicode", "unicode/utf8",
	"charm.land/bubbletea/v2", "github.com/charmbracelet/colorprofile", "github.com/charmbracelet/ultraviolet", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/x/term",
	"golang.org/x/sys/unix",
	"github.com/tera-pilot/tera-pilot/agent/event", "github.com/tera-pilot/tera-pilot/agent/effect", "github.com/tera-pilot/tera-pilot/internal/visible",
	"github.com/tera-pilot/tera-pilot/internal/secret", // the shapes of keys, for the warning about a pasted one
}

// sources parses every file of the front end that is no test and no harness.
func sources(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	set, files := token.NewFileSet(), map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "tuitest"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		files[filepath.ToSlash(name)] = f
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return set, files
}

func TestImports(t *testing.T) {
	_, files := sources(t)
	for name, f := range files {
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(allowedImports, p) && !strings.HasPrefix(p, "github.com/tera-pilot/tera-pilot/tui") {
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
}

// TestOneWayToTheTerminal: nobody but the gate's package writes around the
// renderer, and nobody but it and lines mode prints.
func TestOneWayToTheTerminal(t *testing.T) {
	set, files := sources(t)
	for name, f := range files {
		dir := filepath.ToSlash(filepath.Dir(name))
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, _ := sel.X.(*ast.Ident)
			if pkg == nil {
				return true
			}
			call := pkg.Name + "." + sel.Sel.Name
			switch call {
			case "tea.Println", "tea.Printf", "tea.Raw", "tea.SetClipboard", "tea.ReadClipboard", "tea.ExecProcess", "tea.Exec":
				ok = dir == "tty"
			case "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf", "os.Stdout", "os.Stderr":
				ok = dir == "tty" || dir == "lines"
			}
			if !ok {
				t.Errorf("%s uses %s", set.Position(n.Pos()), call)
			}
			return true
		})
	}
}

// TestEveryBodyIsPlayed: whatever kind of event there is, the tests with
// hostile text play it.
func TestEveryBodyIsPlayed(t *testing.T) {
	played := map[string]bool{}
	for _, b := range tuitest.EveryBody("x") {
		played[b.Type()] = true
	}
	for _, b := range event.Bodies() {
		if !played[b.Type()] {
			t.Errorf("tuitest.EveryBody leaves %T out", b)
		}
	}
}
