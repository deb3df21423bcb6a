package tool

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// TestOwnTestRunsCount: a model that runs the tests by itself has tested; one
// of the project's own commands, to the letter, is the project's check.
func TestOwnTestRunsCount(t *testing.T) {
	for script, want := range map[string]string{
		"go test ./...": "tests check", " go test ./... ": "tests check", "go test -run X ./a": "tests", "cd sub && node --test": "tests",
		"python3 -m unittest discover": "tests", "python -m pytest -q": "tests", "/usr/bin/python3.11 -m pytest": "tests",
		"npm test": "tests", "npm run test:unit": "tests", "cargo nextest run": "tests", "make check": "tests", "pytest": "tests",
		"go build ./...": "", "npm install": "", "python3 test.py": "", "node test.js": "", "echo go test": "", "python3 -m": "",
	} {
		x := effect.Effect{Kind: effect.Exec, Exec: &effect.Command{Parsed: true}}
		for part := range strings.SplitSeq(script, "&&") {
			x.Exec.Parts = append(x.Exec.Parts, effect.Part{Argv: strings.Fields(part), Known: true})
		}
		f := &fake{checks: []Check{{Command: "go test ./...", Because: "go.mod"}}}
		tests, check, err := tested(t.Context(), f, script, x)
		var got []string
		if tests {
			got = append(got, "tests")
		}
		if check {
			got = append(got, "check")
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q counts as %q, %v", script, got, err)
		}
		x.Exec.Parsed = false
		if tests, _, err := tested(t.Context(), f, script, x); tests || err != nil {
			t.Errorf("%q, which nobody understood, counts: %v", script, err)
		}
	}
	if tests, check, err := tested(t.Context(), &fake{}, "git status", effect.Effect{Kind: effect.Git}); tests || check || err != nil {
		t.Errorf("a git call counts: %v", err)
	}
}
