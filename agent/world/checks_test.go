package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		files string // name=content, one a line; a name that ends in ! is executable
		want  string
	}{
		{"", ""},
		{"go.mod=", "go test ./... (go.mod)"},
		{"go.work=", "go test work (go.work)"},
		{`package.json={"scripts":{"test":"vitest"}}`, "npm test (package.json)"},
		{`package.json={"scripts":{"test":"vitest"}}` + "\npnpm-lock.yaml=", "pnpm test (package.json and pnpm-lock.yaml)"},
		{`package.json={"scripts":{"test":"vitest"}}` + "\nyarn.lock=", "yarn test (package.json and yarn.lock)"},
		{`package.json={"scripts":{"test":"bun test"}}` + "\nbun.lock=", "bun run test (package.json and bun.lock)"},
		{`package.json={"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`, ""},
		{`package.json={"scripts":{"build":"x"}}`, ""},
		{`package.json={broken`, ""},
		{"Cargo.toml=", "cargo test (Cargo.toml)"},
		{"pytest.ini=", "python3 -m pytest -q (pytest.ini)"},
		{"pyproject.toml=[tool.pytest.ini_options]\\n", "python3 -m pytest -q (pyproject.toml)"},
		{"pyproject.toml=[project]\\ndependencies = [\"pytest>=8\"]\\n", "python3 -m pytest -q (pyproject.toml)"},
		{"pyproject.toml=[project]\\n", ""},
		{"tox.ini=[pytest]\\n", "python3 -m pytest -q (tox.ini)"},
		{"tox.ini=[tox]\\n", ""},
		{"setup.cfg=[tool:pytest]\\n", "python3 -m pytest -q (setup.cfg)"},
		{"tests/test_a.py=import unittest\\n", "python3 -m unittest discover -s tests (tests/test_a.py)"},
		{"test_a.py=import unittest\\n", "python3 -m unittest discover (test_a.py)"},
		{"tests/test_a.py=def test_x(): pass\\n", "python3 -m pytest -q (tests/test_a.py)"},
		{"tests/helper.py=import unittest\\n", ""},
		{"build.gradle.kts=", "gradle test (build.gradle.kts)"},
		{"build.gradle=\ngradlew!=", "./gradlew test (gradlew)"},
		{"pom.xml=", "mvn -q test (pom.xml)"},
		{"pom.xml=\nmvnw!=", "./mvnw -q test (pom.xml and mvnw)"},
		{"Makefile=all: build\\n\\ntest: all\\n\\tgo vet\\n", "make test (Makefile)"},
		{"Makefile=test::\\n", "make test (Makefile)"},
		{"Makefile=test := 1\\ntests:\\n.PHONY: test\\n", ""},
		{"Makefile=all:\\nGNUmakefile=test:\\n", ""},
		{"test!=#!/bin/sh\\n", "./test (test)"},
		{"test=", ""},
		{"test/x=", ""},
		{"go.mod=\nMakefile=test:\\n\ntest!=", "go test ./... (go.mod), make test (Makefile), ./test (test)"},
	} {
		g := newGround(t)
		for line := range strings.SplitSeq(c.files, "\n") {
			name, text, ok := strings.Cut(line, "=")
			if !ok {
				continue
			}
			name, executable := strings.CutSuffix(name, "!")
			g.put(t, "ws/"+name, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text))
			if executable {
				must(t, os.Chmod(filepath.Join(g.dir, "ws", name), 0o755))
			}
		}
		checks, err := g.Checks(t.Context())
		must(t, err)
		var got []string
		for _, k := range checks {
			got = append(got, fmt.Sprintf("%s (%s)", k.Command, k.Because))
		}
		if want := strings.Split(c.want, ", "); strings.Join(got, ", ") != c.want && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.files, got, c.want)
		}
	}
}

// A file that is a link, or a pipe, tells nothing and blocks nothing.
func TestChecksFollowNoLinks(t *testing.T) {
	g := newGround(t)
	g.put(t, "ws-evil/package.json", `{"scripts":{"test":"evil"}}`)
	g.link(t, "../ws-evil/package.json", "ws/package.json")
	g.link(t, "/bin/sh", "ws/test")
	checks, err := g.Checks(t.Context())
	if err != nil || len(checks) != 0 {
		t.Errorf("%v, %v", checks, err)
	}
}

func TestSyntax(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "package a\n", ""},
		{"a.go", "package a\n\nfunc {\n", "line 3: "},
		{"a.go", "", "line 1: expected 'package'"},
		{"a.json", `{"a": 1}`, ""},
		{"a.json", "{}\n{}\n", ""},
		{"a.json", "", ""},
		{"a.json", `{"a": 1,}`, "invalid character"},
		{"a.json", `{"a"`, "EOF"},
		{"a.toml", "a = 1\n", ""},
		{"a.toml", "x = 1\na = \n", "line 2: "},
		{"a.py", "def (", ""},
	} {
		err := Syntax(c.name, []byte(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.name, c.text, err, c.want)
		}
	}
}
