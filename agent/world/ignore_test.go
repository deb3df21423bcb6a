package world

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIgnorePatterns(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{"foo", "foo a/foo a/b/foo/", "foob afoo foo.c"},
		{"/foo", "foo foo/", "a/foo"},
		{"foo/", "foo/ a/foo/", "foo a/foo"},
		{"a/b", "a/b a/b/", "x/a/b b"},
		{"*.o", "x.o a/x.o .o", "x.oo o"},
		{"!*.o", "", "x.o"},
		{"# foo", "", "foo"},
		{`\#foo`, "#foo", `\#foo`},
		{`\!foo`, "!foo", "foo"},
		{"foo ", "foo", ""},
		{`foo\ `, "foo_", "foo"}, // _ stands for a space here
		{"**/foo", "foo a/foo a/b/foo", "foo2"},
		{"a/**", "a/b a/b/c", "a/ a b/a/c"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "a/xb ab"},
		{"a**b", "ab axb axxb", "a/b x/axb/"[:3]},
		{"a/x**y", "a/xy a/xzy", "a/x/y"},
		{"[ab]c", "ac bc", "cc abc"},
		{"[!ab]c", "cc xc", "ac bc"},
		{"[^ab]c", "cc", "ac"},
		{"[a-c]x", "ax bx cx", "dx"},
		{"[]a]x", "]x ax", "bx"},
		{"[a", "", "a [a"},
		{"a[/]b", "", "a/b"},
		{"x/a[!b]b", "x/acb", "x/a/b"},
		{"[[:digit:]]x", "1x", "ax"},
		{"?x", "ax", "x aax"},
		{"a?b/c", "axb/c", "a/b/c"},
		{"foo.bar", "foo.bar", "fooxbar"},
		{"/", "", "a /"},
		{"a+b", "a+b", "aab"},
		{"*", "a a/b .x", ""},
		{"/*", "a", "a/b"},
	} {
		r := (*ignoreRules)(nil).with(".", []byte(c.pattern))
		check := func(names string, want bool) {
			for _, name := range strings.Fields(names) {
				name = strings.ReplaceAll(name, "_", " ")
				clean, folder := strings.CutSuffix(name, "/")
				if got := r.ignored(clean, folder); got != want {
					t.Errorf("%q ignores %q: %v", c.pattern, name, got)
				}
			}
		}
		check(c.yes, true)
		check(c.no, false)
	}
}

func TestIgnoreLevels(t *testing.T) {
	top := (*ignoreRules)(nil).with(".", []byte("*.log\n!keep.log\n/build\n"))
	sub := top.with("sub", []byte("\uFEFF!debug.log\r\n/build\n"))
	for name, want := range map[string]bool{
		"a.log": true, "keep.log": false, "build": true, "x/build": false,
	} {
		if top.ignored(name, false) != want {
			t.Errorf("top: %s", name)
		}
	}
	for name, want := range map[string]bool{
		"sub/a.log": true, "sub/keep.log": false, "sub/debug.log": false, "sub/build": true, "sub/x/debug.log": false, "sub/x/build": false,
	} {
		if sub.ignored(name, false) != want {
			t.Errorf("sub: %s", name)
		}
	}
}

// Random patterns over random trees: what is left is what git leaves.
func TestIgnoreAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git is not installed: ./test installs it")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 40 {
		dir := t.TempDir()
		run(t, git, dir, "init", "-q")
		paths := randomTree(rng)
		ignores := map[string]string{}
		for _, p := range paths {
			if strings.HasSuffix(p, "/") && rng.IntN(3) == 0 {
				ignores[p+".gitignore"] = randomPatterns(rng)
			}
		}
		ignores[".gitignore"] = randomPatterns(rng)
		must(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte(randomPatterns(rng)), 0o644))
		for _, p := range paths {
			if strings.HasSuffix(p, "/") {
				must(t, os.MkdirAll(filepath.Join(dir, p), 0o755))
			} else {
				must(t, os.WriteFile(filepath.Join(dir, p), nil, 0o644))
			}
		}
		for p, text := range ignores {
			must(t, os.WriteFile(filepath.Join(dir, p), []byte(text), 0o644))
		}
		want := strings.Fields(run(t, git, dir, "ls-files", "--others", "--exclude-standard", "-z"))
		slices.Sort(want)
		got := walkNames(t, dir)
		if !slices.Equal(got, want) {
			var all []string
			for p, text := range ignores {
				all = append(all, fmt.Sprintf("%s: %q", p, text))
			}
			t.Fatalf("round %d\n%s\nonly here: %v\nonly git:  %v", round, strings.Join(all, "\n"), minus(got, want), minus(want, got))
		}
	}
}

func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func run(t *testing.T, git, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(git, args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(bytes.ReplaceAll(out, []byte{0}, []byte("\n")))
}

var ignoreNames = []string{"a", "b", "ab", "abc", "x.o", "y.c", ".hid", "foo", "a.b"}

// randomTree lists folders, which end in a slash, before what is in them.
func randomTree(rng *rand.Rand) []string {
	seen, dirs := map[string]bool{}, []string{""}
	var out []string
	for range 40 {
		base := dirs[rng.IntN(len(dirs))]
		p := base + ignoreNames[rng.IntN(len(ignoreNames))]
		if seen[p] || strings.Count(p, "/") > 3 {
			continue
		}
		seen[p] = true
		if rng.IntN(2) == 0 {
			dirs = append(dirs, p+"/")
			p += "/"
		}
		out = append(out, p)
	}
	return out
}

func randomPatterns(rng *rand.Rand) string {
	pieces := []string{"a", "b", "*", "**", "?", "/", "/", "x.o", "*.o", "foo", "[ab]", "[!a]", "[a-z]", ".", "abc", `\a`, "a*c"}
	var b strings.Builder
	for range rng.IntN(4) {
		if rng.IntN(4) == 0 {
			b.WriteString("!")
		}
		for range 1 + rng.IntN(4) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		b.WriteString([]string{"\n", "/\n", " \n", "\r\n"}[rng.IntN(4)])
	}
	return b.String()
}

func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"a/**/b", "[a", "[]]", "[!]", `a\`, "**", "!", "/", "[[:alpha:]-z]", "[z-a]", "***/a", `[\]]`} {
		f.Add(s, "a/x/b")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		name = path.Clean("/" + name)[1:]
		r := (*ignoreRules)(nil).with(".", []byte(pattern))
		r.ignored(name, true)
		r.ignored(name, false)
	})
}
