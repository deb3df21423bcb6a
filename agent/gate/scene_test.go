package gate_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// stage turns scenes into what the gate is given. It keeps what it loaded.
type stage struct {
	testing.TB
	loaded map[string]*commandpolicy.File
	parsed map[string]effect.Effect
}

func newStage(t testing.TB) *stage {
	return &stage{t, map[string]*commandpolicy.File{}, map[string]effect.Effect{}}
}

func (g *stage) input(s scene) gate.Input {
	in := base()
	in.Front, in.CanAsk, in.Interactive, in.OptOut = gate.Front(s.front), s.canAsk, s.interactive, s.optOut
	in.Typed, in.TextAsNative, in.ConfirmReads = s.typed, s.textIsFine, s.confirmReads
	if s.asText {
		in.Origin = gate.OriginText
	}
	in.Sandbox, _ = gate.ParseSetting(s.setting)
	in.Grade = gate.ParseGrade(s.grade)
	for _, h := range s.hooks {
		in.Hooks = append(in.Hooks, gate.HookAnswer{Name: "h", Word: hookWords[h]})
	}
	if s.review != "" {
		in.Review = &guardian.Verdict{Word: map[string]guardian.Word{
			"approve": guardian.Approve, "reject": guardian.Reject, "modify": guardian.Modify, "failed": guardian.Failed,
		}[s.review]}
	}
	in.Limits = g.limits(s.self)
	link := &in.Limits
	for _, above := range s.over {
		l := g.limits(above)
		link.Parent = &l
		link = &l
	}
	in.Set.Free = len(s.does) == 1 && s.does[0].kind == "free"
	for _, d := range s.does {
		if d.kind == "free" {
			continue
		}
		in.Set.Effects = append(in.Set.Effects, g.effect(d))
		in.Marks = append(in.Marks, gate.Mark{
			Undo: !d.noUndo, Approved: !d.unapproved, Leaves: d.leaves, Redirect: d.redirect, SecretHit: d.leak,
		})
	}
	return in
}

func (g *stage) limits(a agent) gate.Limits {
	l := gate.Limits{Plan: a.plan, HostGrants: a.grants}
	l.Level, _ = gate.ParseLevel(a.level)
	if a.tainted {
		l.Taint = []string{"web"}
	}
	if a.window != "" {
		l.Window = gate.Window{Kind: windows[a.window], Grade: gate.ParseGrade(a.windowGrade), Left: time.Minute}
		if a.windowOver {
			l.Window.Left = 900 * time.Millisecond
		}
	}
	byLayer := map[string]string{}
	for _, r := range a.rules {
		byLayer[r.layer] += r.toml()
	}
	var found []*commandpolicy.File
	for layer, text := range byLayer {
		key := layer + "\n" + text
		if g.loaded[key] == nil {
			g.loaded[key] = file(g, layer, text)
		}
		found = append(found, g.loaded[key])
	}
	l.Rules = gate.NewRules(found...)
	return l
}

func (r rule) toml() string {
	var more []string
	if r.clean {
		more = append(more, "untainted_only = true")
	}
	if r.atGrade != "" {
		more = append(more, `grade = "`+r.atGrade+`"`)
	}
	if r.obsolete {
		more = append(more, "expires = 2026-11-01")
	}
	switch r.kind {
	case "command":
		return commandRule(r.on, r.says, more...)
	case "path":
		return pathRule(r.on, r.how, r.says, more...)
	case "host":
		return hostRule(r.on, r.how, r.says, more...)
	}
	return mcpRule(r.on, r.how, r.says, more...)
}

func (g *stage) effect(d deed) effect.Effect {
	switch d.kind {
	case "read":
		return read(d.on)
	case "walk":
		return onPath(effect.Walk, place(d.on))
	case "create":
		return create(d.on)
	case "mkdir":
		return onPath(effect.Mkdir, missing(d.on))
	case "write":
		return write(d.on)
	case "delete":
		return remove(d.on)
	case "chmod":
		return onPath(effect.Chmod, place(d.on))
	case "memory":
		return onPath(effect.Memory, place(d.on))
	case "rename":
		e := rename(d.on, d.to)
		e.To.Exists = d.toExists
		return e
	case "exec", "start":
		return g.command(d)
	case "gitread":
		e := git(effect.GitReads, "status")
		if d.touches {
			e.Git.Reads = []effect.Path{place(d.on)}
		}
		return e
	case "gitwrite":
		e := git(effect.GitWrites, "commit")
		if d.loses {
			e.Git.Loses = []string{"changes"}
		}
		if d.touches {
			e.Git.Writes = []effect.Path{place(d.on)}
		}
		return e
	case "gitpush":
		return push(d.host)
	case "gitfetch":
		e := git(effect.GitNetwork, "fetch")
		e.Git.Remotes = []string{"git@" + d.host + ":u/w.git"}
		return e
	case "fetch":
		return fetch(d.host)
	case "search":
		return search(d.host)
	case "mcp":
		e := mcp(d.on, "query", d.http)
		e.MCP.Pinned = !d.unpinned
		return e
	case "spawn":
		return effect.Effect{Kind: effect.Spawn, Child: &effect.Child{Goal: "look"}}
	case "config":
		return effect.Effect{Kind: effect.Config}
	}
	return effect.Effect{}
}

func (g *stage) command(d deed) effect.Effect {
	text := d.on
	if d.kind == "start" {
		text = "db-mcp serve"
	}
	if _, ok := g.parsed[text]; !ok {
		g.parsed[text] = run(text)
	}
	e := g.parsed[text]
	x := *e.Exec
	e.Exec = &x
	if d.host != "" {
		x.Hosts = []string{d.host}
	}
	if d.kind == "start" {
		e.Kind = effect.Start
	}
	return e
}

// The words of scenes.
var (
	allLevels = []string{"always_ask", "new_files_only", "never_ask"}
	allGrades = []string{"A", "A-", "B", "none"}
	allHosts  = []string{"go.dev", "evil.example"}
	allKinds  = []string{
		"read", "walk", "create", "mkdir", "write", "delete", "chmod", "memory", "rename", "exec", "gitread", "gitwrite",
		"gitpush", "gitfetch", "fetch", "search", "mcp", "spawn", "start", "config", "unknown",
	}
)

func pick(r *rand.Rand, words ...string) string { return words[r.IntN(len(words))] }
func odds(r *rand.Rand, n int) bool             { return r.IntN(n) == 0 }

func names(r *rand.Rand) string {
	return pick(r, "src/a.go", "docs/b.md", ".env", "AGENTS.md", ".git/hooks/pre-commit", "~/notes.txt", "~/.ssh/id_rsa",
		"~/.tera_pilot/config.json", "/usr/include/stdio.h", "/tmp/scratch")
}

func randomDeed(r *rand.Rand) deed {
	d := deed{
		kind: pick(r, allKinds...), on: names(r), to: names(r), noUndo: odds(r, 4), toExists: odds(r, 2),
		unpinned: odds(r, 6), http: odds(r, 2), unapproved: odds(r, 6), leak: odds(r, 6), redirect: odds(r, 4),
	}
	switch d.kind {
	case "exec":
		d.on = pick(r, "go test ./...", "make", "ls src", "cat .env", "cat ~/notes.txt", "cat /usr/include/stdio.h", "touch AGENTS.md",
			"touch ~/notes.txt", "touch /tmp/scratch", "echo 'x", "rm -rf /")
		d.leaves = odds(r, 8)
		if odds(r, 3) {
			d.host = pick(r, append(allHosts, "127.0.0.1")...)
		}
	case "start":
		d.leaves = odds(r, 4)
		if odds(r, 3) {
			d.host = pick(r, allHosts...)
		}
	case "gitpush", "gitfetch", "fetch", "search":
		d.host = pick(r, append(allHosts, "127.0.0.1")...)
	case "gitread", "gitwrite":
		d.loses, d.touches = d.kind == "gitwrite" && odds(r, 3), odds(r, 2)
	case "mcp":
		d.on = pick(r, "jira", "db")
	}
	return d
}

// randomRule speaks about something that randomDeed does.
func randomRule(r *rand.Rand, layers ...string) rule {
	out := rule{layer: pick(r, layers...), says: pick(r, "allow", "allow", "allow", "ask", "deny"), obsolete: odds(r, 12)}
	switch pick(r, "command", "path", "host", "mcp") {
	case "command":
		out.kind, out.on = "command", pick(r, "go test ./...", "make", "cat .env", "git push", "git commit", "git fetch", "db-mcp serve")
	case "path":
		out.kind, out.on = "path", names(r)
		out.how = pick(r, "read", "create", "write", "delete", "rename", "chmod")
	case "host":
		out.kind, out.on, out.how = "host", pick(r, allHosts...), pick(r, "GET", "PUSH", "CONNECT")
		out.clean = out.says == "allow" && odds(r, 4)
	case "mcp":
		out.kind, out.on, out.how = "mcp", pick(r, "jira", "db"), "query"
		out.clean = out.says == "allow" && odds(r, 4)
	}
	if out.says == "allow" && (out.layer == "remembered" || out.layer == "session") && odds(r, 3) {
		out.atGrade = pick(r, "A", "A-", "B")
	}
	if strings.HasPrefix(out.on, "~/.tera_pilot") {
		out.on = "~/notes.txt"
	}
	return out
}

func randomAgent(r *rand.Rand) agent {
	a := agent{level: pick(r, allLevels...), plan: odds(r, 12), tainted: odds(r, 2)}
	layers := []string{"user", "user", pick(r, "project", "pending"), "remembered", "session"}
	for range r.IntN(7) {
		a.rules = append(a.rules, randomRule(r, layers...))
	}
	if odds(r, 4) {
		a.grants = []string{pick(r, allHosts...)}
	}
	if odds(r, 3) {
		a.window, a.windowGrade, a.windowOver = pick(r, "trust", "unsafe"), pick(r, "A", "A-", "B"), odds(r, 4)
	}
	return a
}

func randomScene(r *rand.Rand) scene {
	s := scene{
		front: pick(r, "tui", "tui", "tui", "run", "acp", "acp", "mcp", "cli", "demo", ""), canAsk: !odds(r, 5), interactive: !odds(r, 3),
		optOut: odds(r, 3), typed: odds(r, 12), asText: odds(r, 6), textIsFine: odds(r, 3),
		setting: pick(r, "auto", "auto", "auto", "on", "on", "off", "unset"), grade: pick(r, append(allGrades, "A", "A", "B", "B")...), confirmReads: odds(r, 4),
		self: randomAgent(r),
	}
	for range r.IntN(3) * r.IntN(2) {
		s.over = append(s.over, randomAgent(r))
	}
	for range r.IntN(3) {
		s.hooks = append(s.hooks, pick(r, "pass", "pass", "pass", "pass", "pass", "raise", "veto"))
	}
	if odds(r, 3) {
		s.review = pick(r, "approve", "approve", "approve", "modify", "failed", "reject")
	}
	if odds(r, 20) {
		s.does = []deed{{kind: "free"}}
		return s
	}
	for range 1 + r.IntN(2)*r.IntN(3) {
		s.does = append(s.does, randomDeed(r))
	}
	return s
}
