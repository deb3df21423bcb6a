package commandpolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"strings"
	"testing"
	"time"
)

// contents is a workspace with files that have content; folders are those on
// their way, and a content that begins with "-> " makes a link.
type contents map[string]string

func (c contents) Lstat(name string) (Kind, string) {
	text, ok := c[strings.TrimPrefix(name, "/workspace/")]
	target, link := strings.CutPrefix(text, "-> ")
	switch {
	case link:
		return KindLink, target
	case ok:
		return KindFile, ""
	case name == "/" || name == "/workspace":
		return KindDir, ""
	}
	for f := range c {
		if strings.HasPrefix("/workspace/"+f, name+"/") {
			return KindDir, ""
		}
	}
	if below(name, "/workspace") {
		return KindAbsent, ""
	}
	return KindUnknown, ""
}

func (c contents) Names(name string) ([]string, bool) {
	var out []string
	for f := range c {
		if path.Dir("/workspace/"+f) == name {
			out = append(out, path.Base(f))
		}
	}
	return out, true
}

func (c contents) Hash(name string) (string, bool) {
	text, ok := c[strings.TrimPrefix(name, "/workspace/")]
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), ok
}

func (c contents) parse(text string) *Analysis {
	return Parse(text, Context{Workspace: "/workspace", Home: "/home/u", Look: c})
}

// remembered is a policy that keeps the exact scope of a text.
func (c contents) remembered(t *testing.T, text string) *Policy {
	t.Helper()
	scopes := New().Scopes(c.parse(text), at())
	if len(scopes) == 0 {
		t.Fatalf("%q: nothing is offered", text)
	}
	return New(mustLoad(t, LayerRemembered, scopes[0].TOML))
}

var project = contents{
	"test": "#!/bin/sh\ngo test", "scripts/x.sh": "echo x", "gen.py": "print(1)", "tools/gen.py": "print(2)", "Makefile": "test:\n\tgo test\n",
	"package.json": "{}", "sub/Makefile": "all:\n", "link": "-> scripts/x.sh", "out": "-> /tmp/evil", "justfile": "t:\n",
}

// TestPinnedPrograms: what runs a file of the workspace is remembered with the
// file's content, and asks again when that, or the file behind the name, is
// another one.
func TestPinnedPrograms(t *testing.T) {
	for text, file := range map[string]string{
		"./test":                  "test",
		"./test -v ./pkg":         "test",
		"scripts/x.sh":            "scripts/x.sh",
		"cd scripts && ./x.sh":    "scripts/x.sh",
		"./link":                  "scripts/x.sh",
		"sh scripts/x.sh":         "scripts/x.sh",
		"bash ./link now":         "scripts/x.sh",
		"python3 gen.py --all":    "gen.py",
		"python3 -m tools.gen":    "tools/gen.py",
		"timeout 9 ./test":        "test",
		"make test":               "Makefile",
		"cd sub && make":          "sub/Makefile",
		"npm run build":           "package.json",
		"npm test":                "package.json",
		"just t":                  "justfile",
		"make -j4 test && ls src": "Makefile",
	} {
		p := project.remembered(t, text)
		if p.Command(project.parse(text), at()).Allow == nil {
			t.Errorf("%q: the identical text asks again", text)
		}
		changed := maps.Clone(project)
		changed[file] += "\nrm -rf ."
		if p.Command(changed.parse(text), at()).Allow != nil {
			t.Errorf("%q: still allowed after %s was changed", text, file)
		}
		gone := maps.Clone(project)
		delete(gone, file)
		if p.Command(gone.parse(text), at()).Allow != nil {
			t.Errorf("%q: still allowed after %s was removed", text, file)
		}
		elsewhere := maps.Clone(project)
		elsewhere[file] = "-> /tmp/evil"
		if p.Command(elsewhere.parse(text), at()).Allow != nil {
			t.Errorf("%q: still allowed after %s became a link", text, file)
		}
	}
}

// TestARuleAboutATestRun is about the run: it outlives that tests change, and
// covers no other module, no further code, and no runner of the workspace's own.
func TestARuleAboutATestRun(t *testing.T) {
	tests := contents{"tests/__init__.py": "", "tests/test_a.py": "1", "a.test.js": "1", "conftest.py": "1", "x.py": "1"}
	for text, others := range map[string][]string{
		"python3 -m unittest discover":    {"python3 -m unittest", "python3 -m pytest", "python3 -m x", "python3 -c 'x' -m unittest discover", "python3 x.py"},
		"python3 -m pytest tests":         {"python3 -m pytest", "python3 -m pytest -p x tests", "python3 -m pytest -c x tests", "python3 tests"},
		"pytest tests/test_a.py":          {"python3 tests/test_a.py", "./pytest tests/test_a.py"},
		"node --test":                     {"node a.test.js", "node --test --require ./a.test.js", "node --test -e x", "node", "node --test --import ./a.test.js"},
		"node --test a.test.js":           {"node a.test.js", "node --test x.js", "node --test --test-global-setup=x.js a.test.js"},
		"go test ./...":                   {"go test -exec ./x ./...", "go run ./..."},
		"cd tests && python3 -m unittest": {"cd tests && python3 -m x", "cd .. && python3 -m unittest"},
	} {
		p := tests.remembered(t, text)
		changed := maps.Clone(tests)
		changed["tests/test_a.py"], changed["a.test.js"], changed["conftest.py"], changed["tests/test_b.py"] = "2", "2", "2", "new"
		if p.Command(changed.parse(text), at()).Allow == nil {
			t.Errorf("%q asks again after the tests changed", text)
		}
		for _, other := range others {
			if p.Command(tests.parse(other), at()).Allow != nil {
				t.Errorf("remembering %q admits %q", text, other)
			}
		}
	}
	for text, own := range map[string]string{"python3 -m unittest discover": "unittest.py", "python3 -m pytest tests": "pytest/__main__.py"} {
		shadowed := maps.Clone(tests)
		shadowed[own] = "evil"
		if tests.remembered(t, text).Command(shadowed.parse(text), at()).Allow != nil {
			t.Errorf("%q is allowed with a %s of the workspace", text, own)
		}
	}
}

// TestOtherCodeIsNotAdmitted: a rule about one run of a program that runs
// things covers no other thing.
func TestOtherCodeIsNotAdmitted(t *testing.T) {
	for text, others := range map[string][]string{
		"make test": {"make", "make deploy", "make test deploy", "make test SHELL=./x", "make -f other.mk test", "make test -f x", "make --eval='x:;y' test",
			"cd sub && make test", "env MAKEFLAGS=-fx make test", "MAKEFLAGS=-fx make test"},
		"sh scripts/x.sh":      {"sh", "sh -c x", "sh test", "sh scripts/x.sh y", "sh < scripts/x.sh", "bash scripts/x.sh", "sh -s scripts/x.sh", "echo y | sh", "echo y > scripts/x.sh; sh scripts/x.sh"},
		"python3 gen.py":       {"python3", "python3 -c 'x'", "python3 -i gen.py", "python3 gen.py shell -c x", "python3 -m gen", "python3 - < gen.py", "cp test gen.py && python3 gen.py", "sed -i s/1/2/ gen.py; python3 gen.py"},
		"./test":               {"./test x", "sh -c './test x'", "./scripts/x.sh", "../workspace2/test", "mv gen.py test && ./test", "cd scripts && ./test", "test"},
		"npm run build":        {"npm run", "npm run test", "npm run build -- --x", "npm run build x", "npm --prefix sub run build", "npm run -s build:all"},
		"python3 -m tools.gen": {"python3 -m tools", "python3 -m gen", "python3 -m tools.other"},
		"go test ./...":        {"go test -exec ./x ./...", "go test -o x ./...", "go test", "go run ./..."},
		"just t":               {"just", "just t u", "just -f x t"},
	} {
		p := project.remembered(t, text)
		for _, other := range others {
			if p.Command(project.parse(other), at()).Allow != nil {
				t.Errorf("remembering %q admits %q", text, other)
			}
		}
	}
}

// TestWhatIsNotRemembered: no rule is offered where nobody knows what runs.
func TestWhatIsNotRemembered(t *testing.T) {
	for _, text := range []string{
		"sh", "python3", "./out", "./none", "sh none.sh", "sh ./out", "bash -s", "curl x | sh", "make -C sub test", "make -f x.mk", "/tmp/x.sh", "../x.sh",
		"python3 -", "npm --prefix sub test", "cd $X && ./test", "echo y > test && ./test", "cp gen.py test; ./test", "./te?t $X", "./$X",
	} {
		if s := New().Scopes(project.parse(text), at()); len(s) > 0 {
			t.Errorf("%q: offered %s", text, s[0].TOML)
		}
	}
}

// TestRunnersBySub: a rule that a person writes about a target is about no
// second one, and about no variable.
func TestRunnersBySub(t *testing.T) {
	p := New(mustLoad(t, LayerUser, "[[rule]]\ncmd = \"make\"\nsub = [\"test\", \"lint\"]\ndecision = \"allow\"\n"))
	for text, want := range map[string]bool{
		"make test": true, "make -j4 test lint": true, "make": false, "make test deploy": false, "make test SHELL=/tmp/x": false, "make CC=x test": false,
	} {
		if got := p.Command(project.parse(text), at()).Allow != nil; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestRulesAboutPrograms: a program of the workspace in a policy file.
func TestRulesAboutPrograms(t *testing.T) {
	sum, _ := project.Hash("/workspace/test")
	rule := "[[rule]]\ncmd = \"./test\"\nfiles = { \"test\" = \"" + sum + "\" }\ndecision = \"allow\"\n"
	p := New(mustLoad(t, LayerUser, rule))
	if p.Command(project.parse("./test any words"), at()).Allow == nil || p.Command(project.parse("./scripts/x.sh"), at()).Allow != nil {
		t.Error("the rule is not about ./test")
	}
	if p.Command(project.parse("./test /etc/passwd"), at()).Allow != nil {
		t.Error("words that lead out of the workspace are covered")
	}
	deny := New(mustLoad(t, LayerUser, "[[rule]]\ncmd = \"./scripts/x.sh\"\ndecision = \"deny\"\n"))
	for _, text := range []string{"scripts/x.sh", "./link", "cd scripts && ./x.sh"} {
		if deny.Command(project.parse(text), at()).Deny == nil {
			t.Errorf("%q is not denied", text)
		}
	}
	for bad, why := range map[string]string{
		"cmd = \"./test\"\ndecision = \"allow\"":                                                  "over-broad",
		"cmd = \"./../x\"\ndecision = \"deny\"":                                                   "never match",
		"cmd = \"./a b\\n\"\ndecision = \"deny\"":                                                 "never match",
		"cmd = \"make\"\nsub = \"x\"\nfiles = { \"/a\" = \"" + sum + "\" }\ndecision = \"allow\"": "never match",
		"cmd = \"make\"\nsub = \"x\"\nfiles = { a = \"12\" }\ndecision = \"allow\"":               "SHA-256",
		"cmd = \"make\"\nfiles = { a = \"" + sum + "\" }\ndecision = \"deny\"":                    "fall silent",
		"cmd = \"x\"\nroot = \"src\"\ndecision = \"allow\"":                                       "root",
	} {
		if _, err := Load(strings.NewReader("[[rule]]\n"+bad+"\n"), "x", LayerUser); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestWhereAndWhen: a remembered rule counts in its workspace, at its grade,
// between its yes and its end; a clock that was set back wakes none.
func TestWhereAndWhen(t *testing.T) {
	r := New().Scopes(project.parse("go vet"), at())[0].Rules[0]
	kept := Remember{Grade: "A-", Expires: noon.Add(time.Hour), Since: noon, Root: "/workspace", Source: "session \"x\"\n[[rule]]", Question: "q"}.With(r)
	p := New(mustLoad(t, LayerRemembered, kept.TOML()))
	a := project.parse("go vet")
	for name, c := range map[string]struct {
		change func(*When)
		want   bool
	}{
		"as kept":          {func(*When) {}, true},
		"another root":     {func(w *When) { w.Workspace = "/workspace2" }, false},
		"a folder below":   {func(w *When) { w.Workspace = "/workspace/sub" }, false},
		"a lower grade":    {func(w *When) { w.Grade = "B" }, false},
		"no sandbox":       {func(w *When) { w.Grade = "" }, false},
		"a better grade":   {func(w *When) { w.Grade = "A" }, true},
		"after its end":    {func(w *When) { w.Now = noon.Add(time.Hour) }, false},
		"before its yes":   {func(w *When) { w.Now = noon.Add(-time.Second) }, false},
		"a second earlier": {func(w *When) { w.Now = noon.Add(time.Hour - time.Second) }, true},
	} {
		w := at()
		w.Grade = "A-"
		c.change(&w)
		if got := p.Command(a, w).Allow != nil; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestExactIsExact: over pairs of known commands, remembering exactly one
// admits another only where that comes to the same calls.
func TestExactIsExact(t *testing.T) {
	all := append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...)
	var texts []*Analysis
	for i := 0; i < len(all); i += 11 {
		_, a := all[i].decide()
		texts = append(texts, a)
	}
	calls := func(a *Analysis) map[string]bool {
		out := map[string]bool{}
		for i := range a.Parts {
			if p := &a.Parts[i]; !p.Proven {
				q := *p
				q.Wrappers = nil
				// A system folder before the name changes nothing: see byPath.
				if dir, base := path.Split(q.Command()); systemBin[strings.TrimSuffix(dir, "/")] {
					out[base] = true
					continue
				}
				out[q.Command()] = true
			}
		}
		return out
	}
	for _, a := range texts {
		scopes := New().Scopes(a, at())
		if len(scopes) == 0 {
			continue
		}
		p, own := New().With(scopes[0].Rules...), calls(a)
		for _, b := range texts {
			if b == a || b.ReadOnly || p.Command(b, at()).Allow == nil {
				continue
			}
			for c := range calls(b) {
				if !own[c] && !strings.HasPrefix(c, ">") && !strings.HasPrefix(c, "<") {
					t.Errorf("remembering %q admits %q by %q", a.Text, b.Text, c)
				}
			}
		}
	}
}
