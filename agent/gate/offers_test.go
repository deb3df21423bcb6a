package gate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// What a question offers to keep is found when it is kept, and covers nothing
// that it says it does not.
func TestWhatIsOfferedIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		e     effect.Effect
		other effect.Effect // must ask all the same under the first offer
		least int
	}{
		"command":        {run("make"), run("make install"), 2},
		"test command":   {run("go test ./..."), run("go test -exec=x ./..."), 2},
		"create":         {create("docs/c.md"), create("docs/d.md"), 3},
		"write":          {write("src/a.go"), write("src/b.go"), 3},
		"delete":         {remove("src/a.go"), write("src/a.go"), 3},
		"rename":         {rename("src/a.go", "src/b.go"), rename("src/a.go", "src/c.go"), 2},
		"secret read":    {read(".env"), read("sub/.env"), 2},
		"outside read":   {read("~/notes.txt"), read("~/other.txt"), 2},
		"fetch":          {fetch("go.dev"), fetch("evil.example"), 2},
		"tool":           {mcp("jira", "get", true), mcp("jira", "set", true), 3},
		"command + host": {run("make", "go.dev"), run("make", "evil.example"), 2},
		"command + path": {run("cat ~/notes.txt"), run("cat ~/other.txt"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			in := base(tt.e)
			d := expect(t, in, gate.Ask, gate.ByTable)
			offers := gate.Scopes(in, d)
			if len(offers) < tt.least || len(offers) > 4 {
				t.Fatalf("%d offers: %+v", len(offers), offers)
			}
			ids := map[string]bool{}
			for i, o := range offers {
				kept := in
				kept.Rules = in.Rules.Add(o.File)
				if got := gate.Decide(kept); got.Answer != gate.Allow || got.By != gate.ByRemembered {
					t.Errorf("%s: kept, and %v by %s", o.Title, got.Answer, got.By)
				}
				kept.Set.Effects = []effect.Effect{tt.other}
				if got := gate.Decide(kept); i == 0 && got.Answer != gate.Ask {
					t.Errorf("%s: also %v what it does not name\n%s", o.Title, got.Answer, o.Rule)
				}
				if o.Title == "" || o.Match == "" || o.NoMatch == "" || o.Rule == "" || ids[o.ID] {
					t.Errorf("offer %+v", o.Scope)
				}
				ids[o.ID] = true
			}
			if offers[0].Keep != 0 || offers[1].Keep != 7*24*time.Hour {
				t.Errorf("the exact offer is for the session, then for a week: %v, %v", offers[0].Keep, offers[1].Keep)
			}
		})
	}
}

// TestOffersDifferInTheirWords: what differs between the offers of an act of
// several paths is what they are called by.
func TestOffersDifferInTheirWords(t *testing.T) {
	in := base(onPath(effect.Mkdir, missing("tests")), create("tests/a.py"))
	var titles []string
	for _, o := range gate.Scopes(in, expect(t, in, gate.Ask, gate.ByTable)) {
		titles = append(titles, o.Title+": not "+o.NoMatch)
	}
	want := []string{
		"create tests/a.py and 1 more rule, this session: not any other file", "create tests/a.py and 1 more rule, 7 days: not any other file",
		"create files in tests and 1 more rule, 7 days: not a file outside of tests",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("%q", titles)
	}
}

func TestWhatIsNotOffered(t *testing.T) {
	for name, e := range map[string]effect.Effect{
		"protected name":   write("AGENTS.md"),
		"bare interpreter": run("make | python3"),
		"bare, an option":  run("make | python3 -"),
		"bare shell":       run("make | sh"),
		"wrapped shell":    run("make | nice sh"),
		"sub-agent":        {Kind: effect.Spawn, Child: &effect.Child{Goal: "look"}},
		"unparsed":         run("echo 'x"),
		"allowed":          read("src/a.go"),
		"loses work":       {Kind: effect.Git, Git: &effect.GitCall{Args: []string{"reset", "--hard"}, Class: effect.GitWrites, Dir: workspace, Loses: []string{"x"}}},
	} {
		in := base(e)
		if got := gate.Scopes(in, gate.Decide(in)); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A raised question about a fetch or a search offers its one host, in just
// these words, and nothing else does.
func TestTheOneHostOfARaisedQuestion(t *testing.T) {
	for _, e := range []effect.Effect{fetch("go.dev"), search("go.dev")} {
		in := base(e)
		in.Taint = []string{"README.md"}
		offers := gate.Scopes(in, expect(t, in, gate.Ask, gate.ByTaint))
		if len(offers) != 1 || offers[0].Grant != "go.dev" || offers[0].File != nil || !strings.Contains(offers[0].Title, "this session") {
			t.Fatalf("%+v", offers)
		}
		in.HostGrants = append(in.HostGrants, offers[0].Grant)
		expect(t, in, gate.Allow, gate.ByRemembered)
		in.Marks[0].SecretHit = true // the scan stays on
		if got := gate.Scopes(in, expect(t, in, gate.Ask, gate.ByBuiltIn)); len(got) > 0 {
			t.Errorf("offered in spite of a secret: %+v", got)
		}
	}
	for _, e := range []effect.Effect{push("go.dev"), run("make", "go.dev"), mcp("s", "t", true), write("AGENTS.md")} {
		in := base(e)
		in.Taint = []string{"README.md"}
		if d := gate.Decide(in); !d.Raised || len(gate.Scopes(in, d)) > 0 {
			t.Errorf("%s: raised %v, offers %+v", e.Kind, d.Raised, gate.Scopes(in, d))
		}
	}
}

// The rule that a denial names would have allowed it; where none is named, none
// that speaks about the claims would have.
func TestWhatWouldHaveAllowed(t *testing.T) {
	for name, tt := range map[string]struct {
		e    effect.Effect
		want []string // in the rule; none: no rule could
	}{
		"read of a secret":  {read("~/.ssh/id_rsa"), []string{"[[path]]", `"~/.ssh/id_rsa"`, `"read"`}},
		"command on secret": {run("cat .env"), []string{"[[path]]", `".env"`}},
		"fetch":             {fetch("go.dev"), []string{"[[host]]", `"go.dev"`, `"GET"`}},
		"push":              {push("github.com"), []string{"[[host]]", `"PUSH"`, "[[rule]]"}},
		"host of a command": {run("make", "go.dev"), []string{"[[host]]", `"CONNECT"`}},
		"tool":              {mcp("jira", "get", true), []string{"[[mcp]]", `"jira"`, `"get"`}},
		"protected name":    {write("AGENTS.md"), []string{"[[path]]", `"AGENTS.md"`}},
		"catastrophe":       {run("rm -rf /"), nil},
		"own settings":      {effect.Effect{Kind: effect.Config}, nil},
		"unparsed":          {run("echo 'x"), nil},
	} {
		in := headless(tt.e)
		d := expect(t, in, gate.Deny)
		got := gate.WouldAllow(in, d)
		if (got == "") != (len(tt.want) == 0) {
			t.Errorf("%s: %q", name, got)
		}
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %q", name, part, got)
			}
		}
		in.Taint = []string{"x"}
		if tt.e.Path != nil && tt.e.Path.Name == "AGENTS.md" && gate.WouldAllow(in, gate.Decide(in)) != "" {
			t.Error("a protected name is not lifted while tainted, and a rule was named")
		}
	}
}

func TestOffersOnRandomScenes(t *testing.T) {
	g := newStage(t)
	r := rand.New(rand.NewPCG(7, 8))
	offered, named := 0, 0
	for range 3000 {
		in := g.input(randomScene(r))
		d := gate.Decide(in)
		for _, o := range gate.Scopes(in, d) {
			offered++
			kept := in
			if o.Grant != "" {
				kept.HostGrants = append(slices.Clone(kept.HostGrants), o.Grant)
			} else {
				kept.Rules = kept.Rules.Add(o.File)
			}
			if kept.Parent == nil && gate.Decide(kept).Answer != gate.Allow {
				t.Fatalf("offered and not found: %s\n%+v", o.Rule, in)
			}
			if d.Danger || d.Raised && o.Grant == "" {
				t.Fatalf("a raised question offers %+v", o)
			}
		}
		if text := gate.WouldAllow(in, d); text != "" {
			named++
			f, err := commandpolicy.Load(strings.NewReader(text), "x.toml", commandpolicy.LayerUser)
			must(t, err)
			if in.Parent == nil {
				in.Rules = in.Rules.Add(f)
				if got := gate.Decide(in); got.Answer != gate.Allow {
					t.Fatalf("%s\nwould not have allowed it: %v (%s)", text, got.Answer, got.Reason)
				}
			}
		}
	}
	if offered < 50 || named < 50 {
		t.Errorf("%d offers and %d rules were tried", offered, named)
	}
}
