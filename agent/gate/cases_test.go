package gate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
)

// A situation is one line of testdata/suites/decisions. An unknown member
// fails the test.
type situation struct {
	ID        string       `json:"id"`
	Situation string       `json:"situation"`
	Effects   []caseEffect `json:"effects"`
	Context   caseContext  `json:"context"`
	Expect    string       `json:"expect"`
}

type caseEffect struct {
	Kind          string       `json:"kind"`
	Path          string       `json:"path"`
	Secret        bool         `json:"secret"`
	Outside       bool         `json:"outside"`
	Protected     bool         `json:"protected"`
	WalkSecret    bool         `json:"walk_secret"`
	Cmd           string       `json:"cmd"`
	Parsed        *bool        `json:"parsed"`
	ReadOnly      bool         `json:"readonly"`
	RPaths        []caseEffect `json:"rpaths"`
	WPaths        []caseEffect `json:"wpaths"`
	Sub           string       `json:"sub"`
	Writes        bool         `json:"writes"`
	Loses         bool         `json:"loses"`
	Host          string       `json:"host"`
	Method        string       `json:"method"`
	Redirect      bool         `json:"redirect"`
	Server        string       `json:"server"`
	Tool          string       `json:"tool"`
	Pinned        bool         `json:"pinned"`
	HTTP          bool         `json:"http"`
	Undo          *bool        `json:"undo"`
	Leaves        bool         `json:"leaves"`
	ApprovedStart bool         `json:"approved_start"`
	Typed         bool         `json:"typed"`
	SecretHit     bool         `json:"secret_hit"`
}

type caseContext struct {
	FE          string     `json:"fe"`
	Level       string     `json:"level"`
	OptOut      bool       `json:"optout"`
	Plan        bool       `json:"plan"`
	Taint       bool       `json:"taint"`
	Sandbox     string     `json:"sandbox"`
	Grade       string     `json:"grade"`
	Hook        string     `json:"hook"`
	Window      string     `json:"window"`
	WindowGrade string     `json:"window_grade"`
	User        []caseRule `json:"user"`
	Project     []caseRule `json:"project"`
	Remembered  []caseRule `json:"remembered"`
	HostGrants  []string   `json:"hostgrants"`
	Child       bool       `json:"child"`
	ParentPlan  bool       `json:"parent_plan"`
	ACPTimedOut bool       `json:"acp_timed_out"`
	Compacted   bool       `json:"compacted"`
}

type caseRule struct {
	T             string   `json:"t"`
	Cmd           string   `json:"cmd"`
	Host          string   `json:"host"`
	Method        []string `json:"method"`
	Server        string   `json:"server"`
	Tool          string   `json:"tool"`
	Path          string   `json:"path"`
	Decision      string   `json:"decision"`
	UntaintedOnly bool     `json:"untainted_only"`
	Grade         string   `json:"grade"`
}

// TestSituations plays the suite, and situations of our own in its form.
func TestSituations(t *testing.T) {
	for name, want := range map[string]int{"../../testdata/suites/decisions/decisions.jsonl": 64, "testdata/situations.jsonl": 267} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); seen++ {
			dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			dec.DisallowUnknownFields()
			var s situation
			if err := dec.Decode(&s); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			t.Run(s.ID, func(t *testing.T) {
				d := gate.Decide(s.input(t))
				if d.Answer.String() != s.Expect {
					t.Errorf("%s: %v by %s (%s), want %s", s.Situation, d.Answer, d.By, d.Reason, s.Expect)
				}
			})
		}
		if seen != want {
			t.Errorf("%d situations in %s, want %d", seen, name, want)
		}
	}
}

// input translates a situation into what the gate is given.
func (s situation) input(t *testing.T) gate.Input {
	c := s.Context
	in := base()
	in.Front = gate.Front(cmpOr(c.FE, "tui"))
	in.Interactive = in.Front == gate.FrontTUI
	in.CanAsk = in.Front != gate.FrontRun // a client whose one question timed out can still be asked
	in.OptOut = c.OptOut
	level, err := gate.ParseLevel(cmpOr(c.Level, "always_ask"))
	must(t, err)
	in.Sandbox, err = gate.ParseSetting(cmpOr(c.Sandbox, "auto"))
	must(t, err)
	in.Grade = gate.ParseGrade(cmpOr(c.Grade, "A"))
	in.Level, in.Plan, in.HostGrants = level, c.Plan, c.HostGrants
	in.Rules = rules(t, c.files(t)...)
	if c.Taint || c.Compacted { // what a compaction dropped was read all the same
		in.Taint = []string{"web"}
	}
	if c.Window != "" {
		in.Window = gate.Window{Kind: windows[c.Window], Grade: gate.ParseGrade(cmpOr(c.WindowGrade, "A")), Left: time.Minute}
	}
	if c.Hook != "" {
		in.Hooks = []gate.HookAnswer{{Name: "h", Word: hookWords[c.Hook]}}
	}
	if c.Child {
		in.Parent = &gate.Limits{Level: level, Plan: c.ParentPlan, Rules: in.Rules, HostGrants: in.HostGrants, Taint: []string{"web"}}
	}
	for _, e := range s.Effects {
		in.Set.Effects = append(in.Set.Effects, e.effect(t))
		in.Marks = append(in.Marks, gate.Mark{
			Undo: e.Undo == nil || *e.Undo, Approved: e.ApprovedStart, Leaves: e.Leaves, Redirect: e.Redirect, SecretHit: e.SecretHit,
		})
		in.Typed = in.Typed || e.Typed
	}
	return in
}

var (
	windows   = map[string]gate.WindowKind{"trust": gate.TrustWindow, "unsafe": gate.UnsafeWindow}
	hookWords = map[string]gate.HookWord{"veto": gate.HookVeto, "raise": gate.HookRaise, "pass": gate.HookPass}
	fileKinds = map[string]effect.Kind{"read": effect.Read, "write": effect.Write, "create": effect.Create, "delete": effect.Delete}
)

func (e caseEffect) effect(t *testing.T) effect.Effect {
	switch e.Kind {
	case "read":
		if e.WalkSecret {
			return onPath(effect.Walk, e.path())
		}
		return onPath(effect.Read, e.path())
	case "write", "create", "delete":
		return onPath(fileKinds[e.Kind], e.path())
	case "exec":
		return e.command()
	case "git":
		return e.git()
	case "fetch":
		return fetch(e.Host)
	case "search":
		return search(e.Host)
	case "mcp":
		out := mcp(e.Server, e.Tool, e.HTTP)
		out.MCP.Pinned = e.Pinned
		return out
	}
	t.Fatalf("unknown kind %q", e.Kind)
	return effect.Effect{}
}

func (e caseEffect) path() effect.Path {
	p := place(e.Path)
	p.Secret, p.Named = e.Secret, !e.WalkSecret
	if e.Protected {
		p.Protected = e.Path
	}
	return p
}

func (e caseEffect) command() effect.Effect {
	var hosts []string
	if e.Host != "" {
		hosts = []string{e.Host}
	}
	out := run(e.Cmd, hosts...)
	if e.ApprovedStart {
		out.Kind = effect.Start
	}
	out.Exec.Parsed = out.Exec.Parsed && *e.Parsed
	for _, p := range e.RPaths {
		out.Exec.Reads = append(out.Exec.Reads, p.path())
	}
	for _, p := range e.WPaths {
		out.Exec.Writes = append(out.Exec.Writes, p.path())
	}
	return out
}

func (e caseEffect) git() effect.Effect {
	out := git(effect.GitReads, strings.Fields(e.Sub)...)
	switch {
	case e.Host != "":
		out.Git.Class, out.Git.Remotes = effect.GitNetwork, []string{"https://" + e.Host + "/u/w.git"}
	case e.Writes:
		out.Git.Class = effect.GitWrites
	}
	if e.Loses {
		out.Git.Loses = []string{"changes that are not committed"}
	}
	for _, p := range e.RPaths {
		out.Git.Reads = append(out.Git.Reads, p.path())
	}
	for _, p := range e.WPaths {
		out.Git.Writes = append(out.Git.Writes, p.path())
	}
	return out
}

func (c caseContext) files(t *testing.T) []string {
	var out []string
	for _, layer := range []struct {
		name  string
		rules []caseRule
	}{{"user", c.User}, {"project", c.Project}, {"remembered", c.Remembered}} {
		text := ""
		for _, r := range layer.rules {
			text += r.toml(t)
		}
		if text != "" {
			out = append(out, layer.name, text)
		}
	}
	return out
}

func (r caseRule) toml(t *testing.T) string {
	var more []string
	if r.UntaintedOnly {
		more = append(more, "untainted_only = true")
	}
	if r.Grade != "" {
		more = append(more, `grade = "`+r.Grade+`"`)
	}
	switch r.T {
	case "rule":
		return commandRule(r.Cmd, r.Decision, more...)
	case "host":
		return hostRule(r.Host, strings.Join(r.Method, ""), r.Decision, more...)
	case "mcp":
		return mcpRule(r.Server, r.Tool, r.Decision, more...)
	case "path":
		return pathRule(r.Path, "write", r.Decision, more...)
	}
	t.Fatalf("unknown rule %q", r.T)
	return ""
}

// Every name of the situations is as protected in capitals and deeper down.
func TestProtectedNamesAnywhere(t *testing.T) {
	for _, name := range []string{".husky/pre-commit", ".git/hooks/x", ".git", ".github/workflows/ci.yml", "AGENTS.md", ".bashrc", ".vscode/tasks.json", ".mcp.json"} {
		for _, variant := range []string{name, strings.ToUpper(name), "sub/" + name, "a/b/" + strings.ToUpper(name)} {
			for _, e := range []effect.Effect{create(variant), write(variant), remove(variant), rename("x", variant), rename(variant, "x"), onPath(effect.Chmod, place(variant))} {
				in := base(e)
				in.Level = gate.NewFilesOnly
				if d := expect(t, in, gate.Ask); !d.Raised {
					t.Errorf("%s %s: not a raised question", e.Kind, variant)
				}
				if d := gate.Decide(headless(e)); d.Answer != gate.Deny {
					t.Errorf("%s %s: %v without a person", e.Kind, variant, d.Answer)
				}
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cmpOr(values ...string) string {
	return values[slices.IndexFunc(values, func(s string) bool { return s != "" })]
}
