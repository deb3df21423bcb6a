package gate_test

// A second implementation of the decision, slow and written from the page
// (architecture.md, section 2) alone, on a small machine of its own: it knows
// nothing of the gate's types but the answer. Situations are described in
// words; scene.input (scene_test.go) builds what the gate is given.

// A scene is one situation.
type scene struct {
	does []deed

	front               string
	canAsk, interactive bool
	optOut              bool
	typed               bool
	asText, textIsFine  bool
	setting, grade      string
	confirmReads        bool
	hooks               []string // veto, raise, pass
	review              string   // approve, reject, modify, failed, or none

	self agent
	over []agent // parent first
}

// An agent is what one agent of the chain may do.
type agent struct {
	level       string
	plan        bool
	tainted     bool
	rules       []rule
	grants      []string
	window      string // trust, unsafe, or none
	windowGrade string
	windowOver  bool // its time is up
	top         bool
}

// A rule is one rule of one layer.
type rule struct {
	layer    string // user, project (approved), pending, remembered, session
	kind     string // command, path, host, mcp
	on       string // words, name, host, server
	how      string // act, method, tool
	says     string // allow, ask, deny
	clean    bool   // untainted_only
	atGrade  string // granted at this grade
	obsolete bool   // expired
}

// A deed is one effect.
type deed struct {
	kind           string // of effects; gitread, gitwrite, gitpush, gitfetch for git
	on, to         string // names of things in the tables below
	host           string // of a command's grant, a push, a fetch
	unpinned, http bool
	noUndo         bool
	toExists       bool
	unapproved     bool
	leaves         bool
	redirect       bool
	leak           bool
	loses          bool
	touches        bool // git: it reads or writes the place `on`
}

// The small machine: what there is to know about names.
type thing struct{ secret, outside, protected, own, shown, temp bool }

var things = map[string]thing{
	"src/a.go":                  {},
	"docs/b.md":                 {},
	".env":                      {secret: true},
	"AGENTS.md":                 {protected: true},
	".git/hooks/pre-commit":     {protected: true},
	"~/notes.txt":               {outside: true},
	"~/.ssh/id_rsa":             {outside: true, secret: true},
	"~/.tera_pilot/config.json": {outside: true, own: true},
	"/usr/include/stdio.h":      {outside: true, shown: true},
	"/tmp/scratch":              {outside: true, temp: true},
}

// What a command's text comes to.
type script struct {
	broken, proven, catastrophe, loses bool
	reads, writes                      []string
}

var scripts = map[string]script{
	"go test ./...":            {},
	"make":                     {},
	"ls src":                   {proven: true},
	"cat .env":                 {reads: []string{".env"}},
	"cat ~/notes.txt":          {reads: []string{"~/notes.txt"}},
	"cat /usr/include/stdio.h": {reads: []string{"/usr/include/stdio.h"}},
	"touch AGENTS.md":          {writes: []string{"AGENTS.md"}},
	"touch ~/notes.txt":        {writes: []string{"~/notes.txt"}},
	"touch /tmp/scratch":       {writes: []string{"/tmp/scratch"}},
	"echo 'x":                  {broken: true},
	"rm -rf /":                 {catastrophe: true},
}

// oracle is the page, sentence by sentence.
func oracle(s scene) string {
	answer := "allow"
	if len(s.does) == 0 {
		return "deny"
	}
	for _, d := range s.does {
		if s.typed { // its own yes: only the floor is asked, without its plan clause
			if s.onFloor(d, s.chain()[0], false) {
				return "deny"
			}
			continue
		}
		for _, who := range s.chain() {
			answer = strictest(answer, s.judge(d, who))
			if s.opted() { // the opt-out is the session's level, a child's own stricter one stays
				who.level = "never_ask"
				answer = strictest(answer, s.judge(d, who))
			}
		}
	}
	if answer == "ask" && !s.somebody() {
		return "deny"
	}
	return answer
}

func strictest(answers ...string) string {
	for _, word := range []string{"deny", "ask"} {
		for _, a := range answers {
			if a == word {
				return word
			}
		}
	}
	return "allow"
}

func (s scene) somebody() bool {
	return s.canAsk && (s.front == "tui" || s.front == "acp" || s.front == "cli" || s.front == "demo")
}

func (s scene) atTerminal() bool { return s.interactive && (s.front == "tui" || s.front == "demo") }

// chain is the agent that acts and those above it. The last is the session's
// own: the opt-out is its level.
func (s scene) chain() []agent {
	out := append([]agent{s.self}, s.over...)
	out[len(out)-1].top = true
	return out
}

func (s scene) opted() bool { return s.optOut && (s.front == "run" || s.front == "acp") }

// column is the level in force for an agent ("Headless").
func (s scene) column(who agent) string {
	if s.opted() && (who.top || who.level == "never_ask") {
		return "never_ask"
	}
	if s.atTerminal() || who.level != "never_ask" {
		return who.level
	}
	return "always_ask"
}

// judge: one effect for one agent.
func (s scene) judge(d deed, who agent) string {
	if s.onFloor(d, who, who.plan) || s.vetoed() {
		return "deny"
	}
	answers := []string{}
	for _, f := range s.facets(d) {
		answers = append(answers, s.judgeFacet(d, f, who))
	}
	return strictest(answers...)
}

func (s scene) vetoed() bool {
	for _, h := range s.hooks {
		if h == "veto" {
			return true
		}
	}
	return s.review == "reject"
}

func (s scene) judgeFacet(d deed, f facet, who agent) string {
	if s.saysAnywhere(f, who, "deny") {
		return "deny"
	}
	level := s.column(who)
	answer := tableOf(f.row, level)
	switch answer {
	case "ask":
		if s.hasAllow(d, f, who) {
			answer = "allow"
		}
	case "deny, liftable":
		answer = "deny"
		if s.lifts(f, who) {
			answer = "allow"
		}
	}
	if answer == "allow" && d.kind != "start" && s.hasAsk(d, f, who) {
		answer = "ask"
	}
	return answer
}

// onFloor: what nothing lifts.
func (s scene) onFloor(d deed, who agent, plan bool) bool {
	first, second := things[d.on], things[d.to]
	changes := map[string]bool{"create": true, "write": true, "delete": true, "rename": true, "mkdir": true, "chmod": true, "memory": true}[d.kind]
	isFile := changes || d.kind == "read" || d.kind == "walk"
	sc := scripts[d.on]
	switch {
	case d.kind == "config", d.kind == "unknown":
		return true
	case d.kind == "exec" && sc.catastrophe:
		return true
	case isFile && first.own, d.kind == "rename" && second.own:
		return true
	case d.kind == "gitread" || d.kind == "gitwrite":
		if d.touches && first.own {
			return true
		}
	case changes && first.outside, d.kind == "rename" && second.outside:
		return true
	case d.host == "127.0.0.1" && d.kind != "search" && (d.kind != "start"):
		return true
	case d.kind == "mcp" && d.unpinned:
		return true
	case d.kind == "start" && d.unapproved:
		return true
	}
	process := d.kind == "exec" || d.kind == "start" || d.kind == "gitread" || d.kind == "gitwrite" || d.kind == "gitpush" || d.kind == "gitfetch"
	if process {
		never := s.column(who) == "never_ask"
		off := s.setting == "off" || d.kind == "start" && d.leaves
		if off && (never || !s.atTerminal()) || !off && !s.boxed() {
			return true
		}
	}
	reads := d.kind == "read" || d.kind == "walk" || d.kind == "gitread" || d.kind == "free" ||
		d.kind == "exec" && s.isProven(d) && s.setting != "off" && !d.leaves
	return plan && !reads
}

func (s scene) isProven(d deed) bool { return scripts[d.on].proven && d.host == "" }
