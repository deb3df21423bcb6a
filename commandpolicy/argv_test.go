package commandpolicy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The words that the policy sees are those that bash passes. Random texts made
// of harmless pieces run in a restricted bash without a PATH, where the one
// command, p, is a function that prints its arguments.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on this machine, so there is nothing to compare with")
	}
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "c d", "-x", ".hid", "sub/e.go", "sub/f", "[z]", "a"} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1212, 9))
	compared, words := 0, 0
	for range 15 {
		var texts []string
		for range 200 {
			texts = append(texts, randomText(r))
		}
		got := bashArgv(t, bash, dir, texts)
		for i, text := range texts {
			a := Parse(text, Context{Workspace: dir, Home: "/home/u", Env: map[string]string{"HOME": "/home/u"}, Look: BeneathDir(dir)})
			seen, known := policyArgv(a)
			if !known {
				continue
			}
			compared++
			words += len(seen)
			if !slices.Equal(seen, got[i]) {
				t.Errorf("%q\npolicy %q\nbash   %q", text, seen, got[i])
			}
		}
	}
	if compared < 1200 {
		t.Errorf("only %d of 3000 texts had known words, so the test says little", compared)
	}
	t.Logf("%d texts, %d words compared", compared, words)
}

// policyArgv joins the calls of p; known is false when the policy does not
// claim to know them.
func policyArgv(a *Analysis) (calls []string, known bool) {
	if !a.Parsed {
		return nil, false
	}
	for i := range a.Parts {
		p := &a.Parts[i]
		if p.Name != "p" {
			if p.Kind == PartCall || p.Kind == PartUnknown {
				return nil, false
			}
			continue
		}
		call := ""
		for _, x := range p.Argv[1:] {
			if !x.Known {
				return nil, false
			}
			call += "<" + x.Text + ">"
		}
		calls = append(calls, call)
	}
	return calls, true
}

// bashArgv runs the texts, each in a subshell of one bash.
func bashArgv(t *testing.T, bash, dir string, texts []string) [][]string {
	t.Helper()
	var script strings.Builder
	script.WriteString("p() { local c= a; for a in \"$@\"; do c+=\"<$a>\"; done; printf '%s\\0' \"$c\"; }\n")
	for _, text := range texts {
		// eval, so that a text with a syntax error stops only itself.
		fmt.Fprintf(&script, "( eval %s ); printf '\\1\\0'\n", singleQuote(text))
	}
	cmd := exec.Command(bash, "--norc", "--noprofile", "-r", "-s")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=/home/u", "PATH=/nonexistent", "LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash: %v", err)
	}
	all := make([][]string, 0, len(texts))
	var now []string
	for _, item := range strings.Split(string(out), "\x00") {
		if item == "\x01" {
			all = append(all, now)
			now = nil
			continue
		}
		now = append(now, item)
	}
	if len(all) != len(texts) {
		t.Fatalf("bash answered %d of %d texts", len(all), len(texts))
	}
	return all
}

func singleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// pieces of words; none can start anything but p.
var wordPieces = []string{
	"a", "b.go", "x1", "-o", "--long=v", ".", "/", "é", "=", ",", "..", "%", "@", "+", ":", "^", "_",
	`\a`, `\ `, `\*`, `\\`, `\"`, `\'`, `\{`, `\$`,
	`'q'`, `''`, `'a b'`, `'*'`, `'\'`, `"d"`, `""`, `"a b"`, `"*"`, `"\a"`, `"\\"`, `"\$x"`, `"'"`, `"a\"b"`,
	`$'n\tq'`, `$'\x41'`, `$'\101'`, `$'\u00e9'`, `$'a\'b'`, `$'\\'`, `$'\e'`, `$'\cA'`, `$'a\0b'`,
	`$v`, `${v}`, `"$v"`, `"${v}"`, `$w`, `"$w"`, `${w}x`, `$g`, `"$g"`, `$e`, `"$e"`, `${e:-d}`, `${v:-d}`, `${e-d}`, `${v:+s}`, `${e:+s}`, `"${w:-x y}"`,
	`{a,b}`, `{a,"b c"}`, `{1..3}`, `{3..1}`, `{01..03}`, `{a..c}`, `{1..6..2}`, `{a}`, `{}`, `{a,}`, `{,b}`, `a{b,c{d,e}}`, `{a,b`, `a,b}`, `{$v,x}`, `{"a,b",c}`, `{a..}`, `{1..a}`, `{-2..2}`,
	`*`, `?`, `*.go`, `[ab].go`, `[!a]*`, `s*/*`, `sub/*`, `.*`, `[z]`, `\[z]`, `"a"*`, `no*`, `[`, `]`, `*/`, `-*`, `./*`,
	`~`, `~/x`, `"~"`, `a~`, `$((1+2))`, `"$((3*2))"`, `$((n))`, `$((n+1))`, `$(echo hi)`, `"$(echo a b)"`, `$(echo a b)`, "`echo t`", `$(printf '%s' z)`, `$(printf 'a\nb\n')`,
}

func randomWord(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(wordPieces[r.IntN(len(wordPieces))])
	}
	return b.String()
}

func randomCall(r *rand.Rand) string {
	words := []string{[]string{"p", `"p"`, `\p`, `'p'`, `p""`, "command_", "$c"}[r.IntN(7)]}
	if words[0] == "command_" {
		words[0] = "p"
	}
	for range r.IntN(4) {
		words = append(words, randomWord(r))
	}
	return strings.Join(words, " ")
}

// randomText is a few calls of p in simple positions, with variables set.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("v=val w='a b' g='*.go' e= n=7 c=p\n")
	for range 1 + r.IntN(3) {
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "( %s )\n", randomCall(r))
		case 1:
			fmt.Fprintf(&b, "{ %s; }\n", randomCall(r))
		case 2:
			fmt.Fprintf(&b, "for i in %s %s; do p \"$i\" $i; done\n", randomWord(r), randomWord(r))
		case 3:
			fmt.Fprintf(&b, "v=%s; p \"$v\" $v\n", randomWord(r))
		case 4:
			fmt.Fprintf(&b, "%s && %s\n", randomCall(r), randomCall(r))
		case 5:
			fmt.Fprintf(&b, "eval %s\n", singleQuote(randomCall(r)))
		case 6:
			fmt.Fprintf(&b, "w+=%s; p $w\n", randomWord(r))
		default:
			fmt.Fprintf(&b, "%s\n", randomCall(r))
		}
	}
	return b.String()
}
