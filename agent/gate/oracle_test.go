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

// A facet is one row of the table that an effect comes under, and what a rule
// would have to name.
type facet struct {
	row   string
	kind  string   // of rules that can speak
	on    []string // each of these names has to be allowed
	how   string
	also  []string // further acts that a deny or an ask may name
	words string   // of the command or git call
	host  string
}

func (s scene) facets(d deed) []facet {
	file := func(row, name, act string, also ...string) facet {
		if things[name].protected && row != "read" && row != "secret or outside read" {
			row = "protected"
		}
		return facet{row: row, kind: "path", on: []string{name}, how: act, also: also}
	}
	switch d.kind {
	case "read", "walk":
		if things[d.on].secret || things[d.on].outside {
			return []facet{file("secret or outside read", d.on, "read")}
		}
		return []facet{file("read", d.on, "read")}
	case "create", "mkdir":
		return []facet{file("new file", d.on, "create")}
	case "write", "delete", "chmod":
		return []facet{file("change", d.on, d.kind)}
	case "memory":
		f := file("protected", d.on, "write")
		f.row = "protected"
		return []facet{f}
	case "rename":
		second := "create"
		if d.toExists {
			second = "write"
		}
		out := []facet{file("change", d.on, "rename", "delete"), file("change", d.to, "rename", second)}
		if things[d.on].secret && !things[d.to].secret {
			out = append(out, file("secret or outside read", d.on, "read"))
		}
		return out
	case "exec":
		return s.commandFacets(d)
	case "gitread":
		return []facet{{row: "git reads", kind: "command", words: "git status"}}
	case "gitwrite":
		return []facet{{row: "git writes", kind: "command", words: "git commit"}}
	case "gitpush":
		return []facet{
			{row: "git writes", kind: "command", words: "git push"},
			{row: "network", kind: "host", host: d.host, how: "PUSH", words: "git push"},
		}
	case "gitfetch":
		return []facet{
			{row: "git writes", kind: "command", words: "git fetch"},
			{row: "network", kind: "host", host: d.host, how: "GET"},
		}
	case "fetch", "search":
		return []facet{{row: "network", kind: "host", host: d.host, how: "GET"}}
	case "mcp":
		return []facet{{row: "mcp", kind: "mcp", on: []string{d.on}, how: "query"}}
	case "spawn":
		return []facet{{row: "spawn"}}
	case "start":
		return []facet{{row: "start", kind: "command", words: "db-mcp serve"}}
	case "free":
		return []facet{{row: "free"}}
	}
	return nil
}

// commandFacets: the command, each host, and the paths that the parse found.
func (s scene) commandFacets(d deed) []facet {
	sc := scripts[d.on]
	out := []facet{{row: "command", kind: "command", words: d.on}}
	if sc.broken { // nobody knows what it does: no rule can speak about it
		out[0].kind = ""
	}
	if d.host != "" {
		out = append(out, facet{row: "network", kind: "host", host: d.host, how: "CONNECT"})
	}
	for _, name := range sc.reads {
		f := facet{row: "secret or outside read", kind: "path", on: []string{name}, how: "read"}
		if things[name].shown && s.boxed() {
			f.row = "shown to every command"
		}
		out = append(out, f)
	}
	for _, name := range sc.writes {
		f := facet{row: "protected", kind: "path", on: []string{name}, how: "write"}
		if things[name].outside {
			f.row = "outside change"
		}
		if things[name].temp && s.boxed() && s.grade != "B" { // in B /tmp is the machine's
			f.row = "shown to every command"
		}
		out = append(out, f)
	}
	return out
}

func (s scene) boxed() bool {
	switch s.setting {
	case "auto":
		return s.grade == "A" || s.grade == "A-" || s.grade == "B"
	case "on":
		return s.grade == "A" || s.grade == "A-"
	}
	return false
}

// tableOf is the table of the page, row by row.
func tableOf(row, level string) string {
	columns := map[string][3]string{
		"free":                   {"allow", "allow", "allow"},
		"read":                   {"allow", "allow", "allow"},
		"secret or outside read": {"ask", "ask", "deny, liftable"},
		"outside change":         {"ask", "ask", "deny, liftable"},
		"shown to every command": {"ask", "ask", "allow"},
		"new file":               {"ask", "allow", "allow"},
		"change":                 {"ask", "ask", "allow"},
		"protected":              {"ask", "ask", "deny, liftable"},
		"command":                {"ask", "ask", "allow"},
		"git reads":              {"allow", "allow", "allow"},
		"git writes":             {"ask", "ask", "allow"},
		"network":                {"ask", "ask", "deny, liftable"},
		"mcp":                    {"ask", "ask", "deny, liftable"},
		"start":                  {"allow", "allow", "allow"},
		"spawn":                  {"ask", "ask", "allow"},
	}
	return columns[row][map[string]int{"always_ask": 0, "new_files_only": 1, "never_ask": 2}[level]]
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

// speaks: the strictest that one layer says about the facet, "" for nothing.
func (s scene) speaks(f facet, who agent, layer, name string, acts ...string) string {
	said := []string{}
	for _, r := range who.rules {
		inForce := r.layer == layer || r.layer == "pending" && layer == "project" && r.says != "allow"
		if !inForce || r.kind != f.kind || r.obsolete || r.clean && who.tainted {
			continue
		}
		if r.atGrade != "" && worse(s.grade, r.atGrade) {
			continue
		}
		for _, act := range acts {
			if r.on == name && r.how == act {
				said = append(said, r.says)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return strictest(said...)
}

func worse(grade, than string) bool {
	rank := map[string]int{"none": 0, "B": 1, "A-": 2, "A": 3}
	return rank[grade] < rank[than]
}

var layerNames = []string{"user", "project", "remembered", "session"}

// saysAnywhere: some layer denies, or asks.
func (s scene) saysAnywhere(f facet, who agent, word string) bool {
	for _, layer := range layerNames {
		for _, name := range f.names() {
			for _, act := range append([]string{f.how}, f.also...) {
				if s.speaks(f, who, layer, name, act) == word {
					return true
				}
			}
		}
	}
	return false
}

func (f facet) names() []string {
	switch f.kind {
	case "command":
		return []string{f.words}
	case "host":
		return []string{f.host}
	}
	return f.on
}

// allowsIn: the layer allows what the facet names.
func (s scene) allowsIn(f facet, who agent, layer string) bool {
	for _, name := range f.names() {
		if s.speaks(f, who, layer, name, f.how) != "allow" {
			return false
		}
	}
	return len(f.names()) > 0
}

// callAllowed: a push needs, beside its host, a rule for the git call.
func (s scene) callAllowed(f facet, who agent, layers ...string) bool {
	if f.kind != "host" || f.how != "PUSH" {
		return true
	}
	for _, layer := range layers {
		if s.allowsIn(facet{kind: "command", words: f.words}, who, layer) {
			return true
		}
	}
	return false
}

// lifts: an allow rule of the user's own, about just this kind of effect.
func (s scene) lifts(f facet, who agent) bool {
	if f.row == "protected" && who.tainted {
		return false
	}
	return f.kind != "command" && f.kind != "" && s.allowsIn(f, who, "user") && s.callAllowed(f, who, "user")
}

// hasAllow: step 3.
func (s scene) hasAllow(d deed, f facet, who agent) bool {
	for _, layer := range layerNames {
		kept := layer == "remembered" || layer == "session"
		if kept && f.row == "protected" {
			continue
		}
		if f.kind != "" && s.allowsIn(f, who, layer) && s.callAllowed(f, who, layerNames...) {
			return true
		}
	}
	if s.granted(f, who) {
		return true
	}
	if f.row == "command" && s.isProven(d) && !s.confirmReads && s.setting != "off" && !d.leaves {
		return true
	}
	return s.windowCovers(d, f, who)
}

func (s scene) granted(f facet, who agent) bool {
	for _, h := range who.grants {
		if f.kind == "host" && f.how == "GET" && f.host == h {
			return true
		}
	}
	return false
}

func (s scene) windowCovers(d deed, f facet, who agent) bool {
	if who.window == "" || who.windowOver || !s.atTerminal() || worse(s.grade, who.windowGrade) {
		return false
	}
	switch f.row {
	case "command":
		return s.boxed()
	case "new file", "change", "git writes":
		return true
	case "mcp":
		return who.window == "unsafe"
	case "network":
		if who.window != "unsafe" {
			return false
		}
		for _, layer := range layerNames {
			if s.speaks(f, who, layer, f.host, f.how) == "allow" {
				return true
			}
		}
	}
	return false
}

// hasAsk: step 4.
func (s scene) hasAsk(d deed, f facet, who agent) bool {
	if s.saysAnywhere(f, who, "ask") || s.review == "modify" || s.review == "failed" {
		return true
	}
	for _, h := range s.hooks {
		if h == "raise" {
			return true
		}
	}
	return s.taintAsks(d, f, who) || s.builtInAsks(d, f, who)
}

func (s scene) taintAsks(d deed, f facet, who agent) bool {
	if !who.tainted {
		return false
	}
	if f.row == "protected" {
		return true
	}
	if f.row == "network" || f.row == "mcp" && d.http {
		return !s.userNames(f, who) && !s.granted(f, who)
	}
	return false
}

// userNames: a [[host]] or [[mcp]] rule of policy.toml, or a remembered one
// that names exactly one host (GET) or one tool.
func (s scene) userNames(f facet, who agent) bool {
	for _, name := range f.names() {
		if s.speaks(f, who, "user", name, f.how) == "allow" {
			return true
		}
		exact := f.kind == "mcp" || f.how == "GET"
		for _, layer := range []string{"remembered", "session"} {
			if exact && s.speaks(f, who, layer, name, f.how) == "allow" {
				return true
			}
		}
	}
	return false
}

func (s scene) builtInAsks(d deed, f facet, who agent) bool {
	sc := scripts[d.on]
	sends := d.host != "" || d.kind == "mcp" && d.http
	readsSecret := false
	network := false
	for _, other := range s.does {
		for _, g := range s.facets(other) {
			if (g.row == "secret or outside read") && things[g.on[0]].secret {
				readsSecret = true
			}
		}
		network = network || other.host != "" && other.kind != "start" || other.kind == "mcp" && other.http
	}
	mine := false
	for _, g := range s.facets(d) {
		mine = mine || g.row == "secret or outside read" && things[g.on[0]].secret
	}
	writesRunsSends := d.kind != "read" && d.kind != "walk" && d.kind != "gitread" && d.kind != "free"
	covered := s.granted(f, who)
	for _, layer := range layerNames {
		covered = covered || s.allowsIn(f, who, layer)
	}
	switch {
	case d.kind == "exec" && sc.broken:
		return true
	case d.leak && sends:
		return true
	case d.kind == "fetch" && d.redirect && !covered:
		return true
	case d.loses || sc.loses:
		return true
	case d.kind == "delete" && d.noUndo, d.kind == "rename" && d.toExists && d.noUndo:
		return true
	case readsSecret && network && (mine || sends):
		return true
	case d.leaves:
		return true
	case s.asText && !s.textIsFine && writesRunsSends:
		return true
	case d.kind == "exec" && s.setting == "off":
		return true
	}
	return false
}
