package commandpolicy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Remembering a text makes the identical text allowed, and nothing of the deny
// list; what is offered loads again, and its example and counter-example hold.
func TestScopesDoWhatTheySay(t *testing.T) {
	var denied []*Analysis
	all := append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...)
	for i, c := range all {
		if c.Expect == "deny" && i%7 == 0 {
			_, a := c.decide()
			denied = append(denied, a)
		}
	}
	offered := 0
	for _, c := range all {
		_, a := c.decide()
		scopes := New().Scopes(a, at())
		if len(scopes) > 0 && (!a.Parsed || a.Catastrophe != nil || a.ReadOnly) {
			t.Errorf("%q: offered though %v", c.Command, a.Problems)
		}
		for _, s := range scopes {
			offered++
			checkScope(t, a, s, denied)
		}
	}
	if offered < 800 {
		t.Errorf("only %d scopes were offered", offered)
	}
}

func checkScope(t *testing.T, a *Analysis, s Scope, denied []*Analysis) {
	t.Helper()
	f, err := Load(strings.NewReader(s.TOML), "remembered.toml", LayerRemembered)
	if err != nil {
		t.Errorf("%q: the scope %q does not load: %v\n%s", a.Text, s.Title, err, s.TOML)
		return
	}
	if len(f.Warnings) > 0 && !strings.Contains(fmt.Sprint(f.Warnings), "duplicate") {
		t.Errorf("%q: the scope %q warns: %v", a.Text, s.Title, f.Warnings)
	}
	p := New(f)
	if p.Command(Parse(a.Text, a.where), at()).Allow == nil {
		t.Errorf("%q: the identical text asks again after %q\n%s", a.Text, s.Title, s.TOML)
	}
	if !p.allows(s.Matches, a, at()) {
		t.Errorf("%q: %q does not cover its example %q", a.Text, s.Title, s.Matches)
	}
	if p.allows(s.Not, a, at()) {
		t.Errorf("%q: %q covers its counter-example %q", a.Text, s.Title, s.Not)
	}
	for _, r := range f.Rules {
		for _, cmd := range r.cmds {
			if unwrapped(cmd) || bareNever(cmd) && !r.exact && len(r.subs) == 0 {
				t.Errorf("%q: %q is a rule about a bare %s", a.Text, s.Title, cmd)
			}
		}
	}
	for _, d := range denied {
		if p.Command(d, at()).Allow != nil {
			t.Errorf("%q: %q allows %q", a.Text, s.Title, d.Text)
		}
	}
}

func TestScopesOfEverydayCommands(t *testing.T) {
	for text, want := range map[string][]string{
		"go test ./...":         {"exactly this", "go test with any files of the workspace, without options", "go test with any known option that neither writes nor runs"},
		"make test":             {"exactly this"}, // other words are other targets
		"npm run build":         {"exactly this"},
		"python3 x.py":          nil, // nobody knows what the file holds
		"node x.js --test":      nil, // the option is the script's
		"node -r ./x --test":    nil,
		"node --test":           {"exactly this"},
		"node --test test/":     {"exactly this"},
		"bash x.sh -v":          nil,
		"git commit -m x":       {"exactly this", "git commit with any files of the workspace, with no options but -m"},
		"git push origin topic": {"exactly this"},
		"rm -rf build":          {"exactly this"},
		"docker run a":          {"exactly this"},
		"curl https://x":        {"exactly this"},
		"unknowncmd -x":         {"exactly this"},
		"timeout 9 go vet":      {"exactly this", "go vet with any files of the workspace, without options", "go vet with any known option that neither writes nor runs"},
		"go vet && make x":      {"exactly this"},
		"go vet > log":          {"exactly this"},
		"ls":                    nil, // needs nothing
		"sudo ls":               nil,
		"FOO=1 make":            nil,
		"make $X":               nil,
		"rm -rf /":              nil,
		"make 'x":               nil,
		"make \u200b":           nil,
		"eval \"$X\"":           nil,
		"./x.sh":                nil, // nobody knows what the file holds
	} {
		var got []string
		for _, s := range New().Scopes(analysed(text), at()) {
			got = append(got, s.Title)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// The smallest rule does allow, and is empty where none can.
func TestSmallest(t *testing.T) {
	for _, c := range append(cases(t, ownCases, 2800), cases(t, suiteCases, 414)...) {
		_, a := c.decide()
		small := New().Smallest(a, at())
		if small == "" {
			continue
		}
		f := mustLoad(t, LayerUser, small)
		if New(f).Command(a, at()).Allow == nil {
			t.Errorf("%q: not allowed by\n%s", c.Command, small)
		}
	}
	if got, want := New().Smallest(analysed("make -j4 all > out/log"), at()), `[[rule]]
cmd = "make"
files = {}
args = ["-j4", "all"]
decision = "allow"

[[path]]
glob = ["out/log"]
effect = ["create", "write"]
decision = "allow"
`; !strings.Contains(got, `cmd = "make"`) || len(got) != len(want) {
		t.Errorf("got\n%s\nwant in any order\n%s", got, want)
	}
}

func TestRunCode(t *testing.T) {
	a := Code("python", "print(1)", Context{Workspace: "/workspace"})
	p := New(mustLoad(t, LayerUser, "[[rule]]\ncmd = \"run_code:python\"\ndecision = \"allow\"\n"))
	if p.Command(a, at()).Allow == nil || p.Command(Code("node", "1", Context{}), at()).Allow != nil {
		t.Error("run_code:python is not judged by its rule")
	}
	if got := New().Scopes(a, at()); len(got) != 1 || !strings.Contains(got[0].TOML, "run_code:python") {
		t.Errorf("%+v", got)
	}
}

func TestRememberAndForget(t *testing.T) {
	a := analysed("go test ./...")
	scopes := New().Scopes(a, at())
	keep := Remember{Grade: "A", Expires: noon.AddDate(0, 0, 7), Question: "c0ffee"}
	src := Append(nil, keep.With(scopes[0].Rules[0]))
	src = Append(src, keep.With(HostRule("go.dev", "GET")), keep.With(MCPRule("db", "query")))
	f := mustLoad(t, LayerRemembered, string(src))
	if len(f.Rules) != 3 || f.Rules[0].Grade != "A" || f.Rules[0].question != "c0ffee" || !f.Rules[0].Expires().Equal(keep.Expires) {
		t.Fatalf("%+v", f.Rules)
	}
	if New(f).Command(a, at()).Allow == nil || New(f).Command(a, When{Now: keep.Expires, Grade: "A"}).Allow != nil {
		t.Error("the rule does not hold for its time")
	}
	for _, r := range f.Rules {
		left, err := Forget(src, "remembered.toml", r.ID)
		if err != nil {
			t.Fatal(err)
		}
		g := mustLoad(t, LayerRemembered, string(left))
		if len(g.Rules) != 2 {
			t.Errorf("%d rules are left", len(g.Rules))
		}
		for _, o := range g.Rules {
			if o.ID == r.ID {
				t.Errorf("%s is still there", r.ID)
			}
		}
	}
	if _, err := Forget(src, "remembered.toml", "rule:none"); err == nil {
		t.Error("an unknown id is forgotten")
	}
	if _, err := Forget([]byte("[[rule]\n"), "remembered.toml", "x"); err == nil {
		t.Error("a broken file is rewritten")
	}
}

func TestRulesSurviveWritingAndReading(t *testing.T) {
	f := mustLoad(t, LayerUser, designRules+`
[[rule]]
id = "mine"
cmd = ["a", "b"]
sub = ["x y", "z"]
flags = { only = ["-a"], any = ["-a", "--b"] }
paths = "any"
decision = "allow"
because = "tabs\tand \"quotes\" \u202e"
expires = 2027-03-01
[[rule]]
cmd = "c"
args = ["a b", "", "*", "\u0001"]
decision = "deny"
`)
	for _, r := range f.Rules {
		g := mustLoad(t, LayerUser, r.TOML())
		if len(g.Rules) != 1 || g.Rules[0].TOML() != r.TOML() || g.Rules[0].ID != r.ID {
			t.Errorf("\n%s\nbecame\n%s", r.TOML(), g.Rules[0].TOML())
		}
	}
}

func TestCommandsJSON(t *testing.T) {
	f, err := LoadCommandsJSON(strings.NewReader(`{
  "extra_allowed": ["terraform"],
  "extra_denied": ["docker", "curl"],
  "extra_dangerous_flags": {"git": ["--force", "-f"], "go": ["-exec"]},
  "extra_trusted_flags": {"git": ["-f"]}
}`), "commands.json", LayerProject)
	if err != nil {
		t.Fatal(err)
	}
	p := New(f)
	for text, want := range map[string]Decision{
		"docker ps": Deny, "ls; curl x": Deny, "sudo docker ps": Deny, "git push --force": Deny, "git push -f": Deny, "git commit": Ask,
		"go test -exec x": Deny, "go test": Ask, "terraform plan": Ask, "ls": Allow,
	} {
		if text == "git push -f" {
			want = Deny // -f and --force are one option of git push
		}
		if got, hit := p.Decide(analysed(text), at()); got != want {
			t.Errorf("%q: %v by %v, want %v", text, got, hit, want)
		}
	}
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Text, "loosen nothing") {
		t.Errorf("warnings %v", f.Warnings)
	}
	if hit := p.Command(analysed("docker ps"), at()).Deny; hit.Line != 3 {
		t.Errorf("line %d", hit.Line)
	}
	for text, want := range map[string]string{
		`{"extra_alowed": []}`:                            `commands.json:1: unknown key "extra_alowed"; did you mean "extra_allowed"?`,
		"{\n\"extra_denied\": [],\n\"extra_denied\": []}": `commands.json:3: the key "extra_denied" stands twice`,
		`{"extra_denied": "x"}`:                           `cannot unmarshal`,
		`{"extra_denied": ["/bin/x"]}`:                    `can never match`,
		`[]`:                                              `is not one object`,
		`{"extra_denied": [}`:                             `not valid JSON`,
		`{} {}`:                                           `more than one value`,
		``:                                                `ends too early`,
		"{\"extra_dangerous_flags\": {\"rm\": [\"-r\"],\n\"rm\": []}}": `commands.json:2: the file holds the member "rm" twice`,
	} {
		_, err := LoadCommandsJSON(strings.NewReader(text), "commands.json", LayerUser)
		var broken *LoadError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	p := New(mustLoad(t, LayerUser, "[[rule]]\ncmd = \"make\"\nsub = [\"test\"]\ndecision = \"allow\"\nbecause = \"our tests\"\n"))
	for text, want := range map[string][]string{
		"ls src":                 {"decision: allow", "none needed", "part 1:   reads ls src", "reads: /workspace/src"},
		"make test":              {"decision: allow", "rule:", "user.toml:1", "because:  our tests"},
		"make x > 'a b'":         {"decision: ask", "> 'a b'", "writes: /workspace/a b"},
		"rm -rf /":               {"decision: deny", "builtin:wipe (built in)", "deletes: /"},
		"timeout 5 nice touch x": {"part 3:", "touch x   (through timeout, nice)"},
		"echo $(touch x)":        {"touch x"},
		"make 'x":                {"decision: ask", "does not parse"},
		"ls \u202e":              {"decision: ask", "bidirectional control U+202E at byte 3"},
		"X=$(cat a); make $X":    {"…"},
		"git reset --hard":       {"loses work: git reset"},
		"curl https://h.org/x":   {"network: h.org"},
		"$'t\\x6fuch' $'a\\nb'":  {"touch $'a\\nb'"},
	} {
		got := p.Explain(analysed(text), at())
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%q: no %q in\n%s", text, w, got)
			}
		}
		if bad := badBytes(got); len(bad) > 0 {
			t.Errorf("%q: the explanation holds %v", text, bad)
		}
	}
}

func TestLoadingIsQuick(t *testing.T) {
	src := manyRules(1000)
	start := time.Now()
	f := mustLoad(t, LayerUser, src)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("1,000 rules took %v", d) // the goal of 50 ms is the benchmark's
	}
	if len(f.Rules) != 1000 {
		t.Errorf("%d rules", len(f.Rules))
	}
}

func manyRules(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[rule]]\ncmd = \"tool%d\"\nsub = [\"test\", \"build\"]\nflags = { forbid = [\"--exec\"] }\ndecision = \"allow\"\nbecause = \"number %d\"\n\n", i, i)
	}
	return b.String()
}

func BenchmarkLoad1000(b *testing.B) {
	src := []byte(manyRules(1000))
	for b.Loop() {
		if _, err := Load(bytes.NewReader(src), "x.toml", LayerUser); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecideWith1000(b *testing.B) {
	p := New(mustLoad(b, LayerUser, manyRules(1000)))
	for b.Loop() {
		p.Decide(analysed("tool999 test x"), at())
	}
}

var codePlace = Context{Workspace: "/workspace", Dir: "/workspace", Home: "/home/dev"}

// Code of bash is no way around what holds for commands, and code of any
// language is proven read-only by nobody.
func TestCodeIsNoWayAround(t *testing.T) {
	for _, source := range []string{"rm -rf /", "echo a\nrm -rf ~\n", "true; rm -rf --no-preserve-root /"} {
		if a := Code("bash", source, codePlace); a.Catastrophe == nil {
			t.Errorf("%q is no catastrophe as code", source)
		}
	}
	p := New(mustLoad(t, LayerUser, "[[rule]]\ncmd = \"git\"\nsub = [\"push\"]\ndecision = \"deny\"\n"), mustLoad(t, LayerUser, "[[rule]]\ncmd = \"run_code:bash\"\ndecision = \"allow\"\n"))
	if said := p.Command(Code("bash", "cd sub && git push origin main", codePlace), at()); said.Deny == nil {
		t.Errorf("a denied command passes as code: %+v", said)
	}
	for lang, source := range map[string]string{"bash": "ls", "python": "print(1)", "node": "1"} {
		if a := Code(lang, source, codePlace); a.ReadOnly || a.SingleGit != nil {
			t.Errorf("%s %q counts as read-only", lang, source)
		}
	}
	if a := Code("bash", "git status", codePlace); a.SingleGit != nil {
		t.Error("code goes through gitsafe as one call")
	}
	if a := Code("python", "if x: # \u202e \u2066\n  pass", codePlace); a.Parsed {
		t.Error("code that shows otherwise than it runs counts as understood")
	}
}

// An option that runs something is remembered with what it runs, or not at all.
func TestScopesPinWhatAnOptionRuns(t *testing.T) {
	for text, other := range map[string]string{
		"git difftool -x ls":                     "git difftool -x ./evil",
		"git commit --exec x":                    "git commit --exec y",
		"cargo build --config a.toml":            `cargo build --config 'build.rustc-wrapper="./evil"'`,
		"go build -ldflags '-X main.v=1' ./...":  "go build -ldflags '-extld=./evil' ./...",
		"go test -exec ./x ./...":                "go test -exec ./evil ./...",
		"git log --output=x":                     "git log --output=y",
		"wget -e robots=off https://example.org": "wget -e use_askpass=./evil https://example.org",
	} {
		c := testCase{Command: text}
		_, a := c.decide()
		for _, s := range New().Scopes(a, at()) {
			if New().With(s.Rules...).allows(other, a, at()) {
				t.Errorf("%q: %q covers %q", text, s.Title, other)
			}
		}
	}
}
