package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts plays the texts of testdata/script/cli_*.txtar against the built
// program. They add two verbs: `exits CODE program args…`, and
// `docs PAGE LANGUAGE FILE`, which writes the page's first block of a language.
func TestScripts(t *testing.T) {
	bin := built(t)
	files, err := filepath.Glob("testdata/script/cli_*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home", "repo"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "docs": docsBlock},
	})
}

// exits runs a program and holds its exit code to the first argument.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// docsBlock puts what a page of the documentation shows into a file.
func docsBlock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: docs PAGE LANGUAGE FILE")
	}
	page, err := os.ReadFile(filepath.Join(docsDir, args[0]))
	ts.Check(err)
	_, rest, ok := strings.Cut(string(page), "\n```"+args[1]+"\n")
	block, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		ts.Fatalf("%s has no block of %s", args[0], args[1])
	}
	ts.Check(os.MkdirAll(filepath.Dir(args[2]), 0o700))
	ts.Check(os.WriteFile(args[2], []byte(block+"\n"), 0o600))
}

// docsDir is where the documentation lies; scripts run elsewhere.
var docsDir = func() string {
	dir, err := filepath.Abs("../../docs")
	if err != nil {
		panic(err)
	}
	return dir
}()
