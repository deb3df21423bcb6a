package gate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// The oracle's small machine is the one that commandpolicy sees.
func TestTheSmallMachineIsTrue(t *testing.T) {
	for text, want := range scripts {
		x := run(text).Exec
		a := commandpolicy.Parse(text, commandpolicy.Context{Workspace: workspace, Home: home, State: state, Look: files})
		if x.Parsed == want.broken || a.ReadOnly != want.proven || (a.Catastrophe != nil) != want.catastrophe {
			t.Errorf("%s: parsed %v, proven %v, catastrophe %v", text, x.Parsed, a.ReadOnly, a.Catastrophe)
		}
	}
	for name, want := range things {
		p := place(name)
		_, secret := commandpolicy.SecretName(p.Abs, home)
		_, protected := commandpolicy.ProtectedName(name)
		if secret != want.secret || !want.outside && protected != want.protected || p.Outside != want.outside {
			t.Errorf("%s: secret %v, protected %v, outside %v", name, secret, protected, p.Outside)
		}
	}
}

func TestTheOracleAgreesOnRandomScenes(t *testing.T) {
	g := newStage(t)
	r := rand.New(rand.NewPCG(1, 2))
	answers := map[string]int{}
	for i := range 12000 {
		s := randomScene(r)
		want := oracle(s)
		answers[want]++
		if d := gate.Decide(g.input(s)); d.Answer.String() != want {
			t.Fatalf("scene %d: the gate says %v by %s (%s), the page %s\n%+v", i, d.Answer, d.By, d.Reason, want, s)
		}
	}
	for _, word := range []string{"allow", "ask", "deny"} {
		if answers[word] < 500 {
			t.Errorf("only %d scenes come to %s: %v", answers[word], word, answers)
		}
	}
}

// source changes a scene by one source of one step, where it applies.
type source struct {
	name string
	set  func(*scene, facet)
}

func ruleFor(f facet, layer, says string) rule {
	r := rule{layer: layer, kind: f.kind, how: f.how, says: says}
	switch f.kind {
	case "command":
		r.on = f.words
	case "host":
		r.on = f.host
	default:
		r.on = f.on[0]
	}
	return r
}

func bySource(layer, says string) source {
	return source{layer + " " + says, func(s *scene, f facet) {
		if f.kind == "" {
			return
		}
		s.self.rules = append(s.self.rules, ruleFor(f, layer, says))
		if f.how == "PUSH" {
			s.self.rules = append(s.self.rules, ruleFor(facet{kind: "command", words: f.words}, layer, says))
		}
	}}
}

func nothing(*scene, facet) {}

var denySources = []source{
	{"no deny", nothing},
	bySource("user", "deny"), bySource("project", "deny"), bySource("pending", "deny"), bySource("remembered", "deny"),
	{"parent's rule", func(s *scene, f facet) {
		if f.kind != "" {
			s.over = append(s.over, agent{level: s.self.level, rules: append(slices.Clone(s.self.rules), ruleFor(f, "user", "deny"))})
		}
	}},
	{"parent's plan", func(s *scene, f facet) {
		s.over = append(s.over, agent{level: s.self.level, plan: true, rules: s.self.rules, grants: s.self.grants})
	}},
	{"plan", func(s *scene, _ facet) { s.self.plan = true }},
	{"veto", func(s *scene, _ facet) { s.hooks = append(s.hooks, "veto") }},
	{"review rejects", func(s *scene, _ facet) { s.review = "reject" }},
	{"no sandbox", func(s *scene, _ facet) { s.grade = "none" }},
}

var allowSources = []source{
	{"no allow", nothing},
	bySource("user", "allow"), bySource("project", "allow"), bySource("pending", "allow"), bySource("remembered", "allow"), bySource("session", "allow"),
	{"host grant", func(s *scene, f facet) {
		if f.kind == "host" {
			s.self.grants = append(s.self.grants, f.host)
		}
	}},
	{"trust", func(s *scene, _ facet) { s.self.window, s.self.windowGrade = "trust", "A" }},
	{"unsafe, host in a rule", func(s *scene, f facet) {
		s.self.window, s.self.windowGrade = "unsafe", "A"
		if f.kind == "host" {
			s.self.rules = append(s.self.rules, ruleFor(f, "user", "allow"))
		}
	}},
}

var askSources = []source{
	{"no ask", nothing},
	bySource("user", "ask"), bySource("project", "ask"),
	{"raise", func(s *scene, _ facet) { s.hooks = append(s.hooks, "raise") }},
	{"review fails", func(s *scene, _ facet) {
		if s.review == "" {
			s.review = "failed"
		}
	}},
	{"taint", func(s *scene, _ facet) { s.self.tainted = true }},
	{"text", func(s *scene, _ facet) { s.asText = true }},
	{"sandbox off", func(s *scene, _ facet) { s.setting = "off" }},
	{"leak", func(s *scene, _ facet) { s.does[0].leak = true }},
	{"redirect", func(s *scene, _ facet) { s.does[0].redirect = true }},
	{"no undo", func(s *scene, _ facet) { s.does[0].noUndo = true }},
}

var fronts = []source{
	{"terminal", func(s *scene, _ facet) { s.front, s.canAsk, s.interactive = "tui", true, true }},
	{"client", func(s *scene, _ facet) { s.front, s.canAsk = "acp", true }},
	{"nobody", func(s *scene, _ facet) { s.front = "run" }},
}

// Every combination of a deny, an allow and an ask source, at each level, in
// each front end, with and without the opt-out, for each kind of effect.
func TestAllCombinationsOfSources(t *testing.T) {
	deeds := []deed{
		{kind: "read", on: "src/a.go"}, {kind: "read", on: ".env"}, {kind: "read", on: "~/notes.txt"}, {kind: "walk", on: "src/a.go"},
		{kind: "create", on: "docs/b.md"}, {kind: "write", on: "src/a.go"}, {kind: "delete", on: "src/a.go"}, {kind: "write", on: "AGENTS.md"},
		{kind: "exec", on: "go test ./..."}, {kind: "exec", on: "ls src"}, {kind: "exec", on: "make", host: "go.dev"}, {kind: "exec", on: "echo 'x"},
		{kind: "gitread"}, {kind: "gitwrite"}, {kind: "gitpush", host: "go.dev"}, {kind: "fetch", host: "go.dev"}, {kind: "search", host: "go.dev"},
		{kind: "mcp", on: "jira", http: true}, {kind: "mcp", on: "db"}, {kind: "start"}, {kind: "spawn"}, {kind: "free"},
	}
	g := newStage(t)
	seen := 0
	for _, d := range deeds {
		t.Run(fmt.Sprintf("%s %s%s", d.kind, d.on, d.host), func(t *testing.T) {
			everyCombination(d, func(name string, s scene) {
				seen++
				if got, want := gate.Decide(g.input(s)), oracle(s); got.Answer.String() != want {
					t.Fatalf("%s: the gate says %v by %s (%s), the page %s\n%+v", name, got.Answer, got.By, got.Reason, want, s)
				}
			})
		})
	}
	if want := len(deeds) * len(denySources) * len(allowSources) * len(askSources) * len(allLevels) * len(fronts) * 2; seen != want {
		t.Errorf("%d combinations, want %d", seen, want)
	}
}

func everyCombination(d deed, visit func(string, scene)) {
	for _, no := range denySources {
		for _, yes := range allowSources {
			for _, raise := range askSources {
				for _, front := range fronts {
					for i := range len(allLevels) * 2 {
						s := scene{does: []deed{d}, setting: "auto", grade: "A", optOut: i%2 == 1}
						s.self.level = allLevels[i/2]
						facets := s.facets(d)
						for _, f := range facets {
							yes.set(&s, f)
						}
						for _, src := range []source{front, raise, no} {
							src.set(&s, facets[len(facets)-1]) // of a push and a grant: the host
						}
						visit(fmt.Sprintf("%s, %s, %s, %s, %s, opt-out %v", no.name, yes.name, raise.name, front.name, s.self.level, s.optOut), s)
					}
				}
			}
		}
	}
}
