package commandpolicy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A testCase is one line of a case file (testdata/suites/commands/README.md).
type testCase struct {
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Expect  string   `json:"expect"`
	Accept  []string `json:"accept"`
	Why     string   `json:"why"`
	Source  string   `json:"source-kind"`
	BashN   *bool    `json:"bash_n"`
	Proven  *bool    `json:"proven"`
	Setup   struct {
		Files    []string          `json:"files"`
		Symlinks map[string]string `json:"symlinks"`
	} `json:"setup"`
	file string
}

// cases reads all case files of a folder; too few of them is an error, so that
// a moved folder does not pass.
func cases(t testing.TB, pattern string, least int) []testCase {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var out []testCase
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			c := testCase{file: filepath.Base(name)}
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, c)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) < least {
		t.Fatalf("only %d cases in %s, expected at least %d", len(out), pattern, least)
	}
	return out
}

// context is the workspace that a case is about.
func (c *testCase) context() Context {
	o := Overlay{Base: nothing{}, Files: map[string]bool{}, Links: map[string]string{}}
	for _, f := range c.Setup.Files {
		o.Files["/workspace/"+f] = true
	}
	for link, to := range c.Setup.Symlinks {
		o.Links["/workspace/"+link] = to
	}
	return Context{Workspace: "/workspace", Home: "/home/u", Env: map[string]string{"HOME": "/home/u"}, Look: o}
}

func (c *testCase) decide() (Decision, *Analysis) {
	var p *Policy
	a := Parse(c.Command, c.context())
	d, _ := p.Decide(a, When{})
	return d, a
}

func (c *testCase) accepts(d Decision) bool {
	if len(c.Accept) > 0 {
		return slices.Contains(c.Accept, d.String())
	}
	return c.Expect == d.String()
}

const (
	ownCases   = "testdata/cases/*.jsonl"
	suiteCases = "../testdata/suites/commands/*.jsonl"
)

func TestCases(t *testing.T) {
	for _, c := range append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...) {
		d, a := c.decide()
		if !c.accepts(d) {
			text := c.Command
			if len(text) > 200 {
				text = text[:200] + "…"
			}
			t.Errorf("%s %s: %q is %v, want %s: %s", c.file, c.ID, text, d, c.Expect, strings.Join(a.Problems, "; "))
		}
	}
}

// A case that is allowed is no longer so with anything beside it that is not.
func TestAllowedTextIsNotLoosenedByMore(t *testing.T) {
	more := []struct{ before, after string }{
		{"", "; touch x"}, {"", "\ntouch x"}, {"", " && touch x"}, {"", " || touch x"}, {"", " | tee x"}, {"", " & touch x"},
		{"", " > x"}, {"", " >> x"}, {"", " 2> x"}, {"", " &> x"}, {"", " < /etc/passwd"}, {"", "; x=$(touch x)"},
		{"touch x; ", ""}, {"X=$(touch x) ", ""}, {"LD_PRELOAD=./x ", ""}, {"PATH=. ", ""}, {"sudo ", ""}, {"if touch x; then ", "\nfi"},
		{"f() { touch x; }; ", ""}, {"(touch x); ", ""}, {"$(touch x); ", ""}, {"! touch x; ", ""}, {"cd /etc; ", "; cat passwd"},
		{"eval 'touch x'; ", ""}, {"trap 'touch x' EXIT; ", ""}, {"alias a=b; ", ""}, {"shopt -s extglob; ", ""}, {". ./x; ", ""},
		{"", "\u200b"}, {"", " \u202e"}, {"", " \x00"}, {"", "\r\ntrue"}, {"\u00a0", ""}, {"", "; 'touch' x"}, {"", "; t''ouch x"},
	}
	tried := 0
	for _, c := range append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...) {
		if c.Expect != "allow" || c.Accept != nil || strings.Contains(c.Command, "#") || strings.Contains(c.Command, "<<") {
			continue
		}
		for _, m := range more {
			tried++
			x := c
			x.Command = m.before + c.Command + m.after
			if d, _ := x.decide(); d == Allow {
				t.Errorf("%q is allowed", x.Command)
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d texts tried", tried)
	}
}

// A text that is denied stays denied beside others and within others.
func TestDeniedTextStaysDenied(t *testing.T) {
	around := []struct{ before, after string }{
		{"ls; ", ""}, {"", "; ls"}, {"ls && ", ""}, {"if ls; then ", "\nfi"}, {"{ ", "\n}"}, {"( ", "\n)"}, {"f() { ", "\n}"},
		{"for i in a b; do ", "\ndone"}, {"while ls; do ", "\ndone"}, {"case a in a) ", "\n;; esac"}, {"x=$(", "\n)"}, {"cat <(", "\n)"},
		{strings.Repeat("true; ", 300), ""}, {"FOO=1; ", ""}, {"echo \"$(", "\n)\""},
	}
	tried := 0
	for _, c := range append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...) {
		if c.Expect != "deny" || strings.Contains(c.Command, "<<") || strings.Contains(c.Command, "$0") {
			continue
		}
		for _, m := range around {
			x := c
			x.Command = m.before + c.Command + m.after
			tried++
			if d, a := x.decide(); d != Deny && a.Parsed {
				t.Errorf("%q is %v", x.Command, d)
			}
		}
	}
	if tried < 5_000 {
		t.Errorf("only %d texts tried", tried)
	}
}

// Quoting a program's name changes nothing.
func TestQuotedNamesAreTheSame(t *testing.T) {
	for _, c := range append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...) {
		name, rest, _ := strings.Cut(c.Command, " ")
		if !isPlainName(name) || c.file == "bomb.jsonl" {
			continue
		}
		want, _ := c.decide()
		for _, quoted := range []string{"'" + name + "'", `"` + name + `"`, `\` + name, name[:1] + "''" + name[1:], "$'" + name + "'"} {
			x := c
			x.Command = quoted + " " + rest
			if got, _ := x.decide(); got != want && !(declares[name] && got != Allow) {
				t.Errorf("%q is %v, but %q is %v", x.Command, got, c.Command, want)
			}
		}
	}
}

// declares are builtins and keywords that only their bare name makes.
var declares = setOf(`declare typeset local export readonly let time coproc function select`)

func isPlainName(s string) bool {
	if s == "" || builtinNames[s] && declares[s] {
		return false
	}
	switch s {
	case "if", "for", "while", "until", "case", "select", "time", "coproc", "function", "{", "!", "[[":
		return false
	}
	return nameLength(s) == len(s) && s[0] > '9'
}
