package commandpolicy

import (
	"slices"
	"strings"
)

// A Scope is an offer to remember a yes.
type Scope struct {
	Title   string // in plain words
	Rules   []Rule
	TOML    string // the rules as they are stored
	Matches string // a command that it covers
	Not     string // one that it does not
}

// Code is the analysis of a run_code call, judged by rules as "run_code:LANG".
// What it does is not known, so it is never proven read-only. Of bash the text
// is read as well: what rules and the built-in list say of a command holds for
// it by this way too.
func Code(lang, source string, c Context) *Analysis {
	a := &Analysis{Text: source, BadBytes: badBytes(source), Parsed: true, where: c}
	if lang == "bash" {
		a = Parse(source, c)
	}
	for _, b := range a.BadBytes {
		a.Parsed = false
		a.Problems = append(a.Problems, "holds a "+b.String())
	}
	name := "run_code:" + lang
	part := Part{Kind: PartCall, Name: name, Argv: []Arg{{Text: name, Known: true}}, Why: []string{"runs " + lang + " code"},
		Effects: Effects{Executes: []string{"code:" + lang}}, call: &call{}}
	a.Code, a.ReadOnly, a.SingleGit = lang, false, nil
	a.Parts, a.Problems = append([]Part{part}, a.Parts...), append(part.Why, a.Problems...)
	return a
}

// uncovered lists the parts that neither a proof nor a rule covers.
func (p *Policy) uncovered(a *Analysis, w When) []*Part {
	w = a.anchor(w)
	var out []*Part
	for i := range a.Parts {
		part := &a.Parts[i]
		if !part.Proven && p.part(part, w).Allow == nil {
			out = append(out, part)
		}
	}
	return out
}

// exactRules are the narrowest rules for the uncovered parts, or nil where
// some part can be covered by none.
func (p *Policy) exactRules(a *Analysis, w When) []Rule {
	if !a.Parsed || a.Catastrophe != nil {
		return nil
	}
	var out []Rule
	for _, part := range p.uncovered(a, w) {
		rules := exactRule(part, a.where)
		if rules == nil {
			return nil
		}
		for _, r := range rules {
			if !slices.ContainsFunc(out, func(o Rule) bool { return o.core() == r.core() }) {
				out = append(out, r)
			}
		}
	}
	if _, err := Load(strings.NewReader(rulesTOML(out)), "", LayerUser); err != nil {
		return nil // what no file may say is not offered either
	}
	return out
}

// exactRule is the narrowest rule for one part.
func exactRule(part *Part, where Context) []Rule {
	switch part.Kind {
	case PartRedirect:
		return redirectRules(part, where)
	case PartCall:
		args, ok := patternArgs(part)
		name := part.Name
		if name == "" {
			name = part.program()
		}
		if !ok || !validCmd(name) && !validProgram(name) || part.call == nil || unwrapped(name) || !allArgsKnown(part) || !part.pinsKnown() {
			return nil
		}
		r := Rule{kind: kindRule, aboutCommand: aboutCommand{cmds: []string{name}, args: args, exact: true, anyPath: part.call.outside}}
		if strings.HasPrefix(part.Name, "run_code:") {
			r.exact, r.args = false, nil
		}
		if r.hasFiles = part.pinned; r.hasFiles {
			r.files = map[string]string{}
			for _, pin := range part.Pins {
				r.files[pin.File] = pin.SHA256
			}
		}
		r.Decision = Allow
		return []Rule{r}
	}
	return nil
}

func redirectRules(part *Part, where Context) []Rule {
	if len(part.Effects.Unknown)+len(part.Effects.Network) > 0 {
		return nil
	}
	var out []Rule
	for _, use := range pathUses(part) {
		name := use.Path
		if rel, ok := strings.CutPrefix(name, where.Workspace+"/"); ok {
			name = rel
		}
		r := PathRule(use.Act, name)
		if use.Act == ActWrite {
			r.acts = []Act{ActCreate, ActWrite}
		}
		out = append(out, r)
	}
	return out
}

// PathRule is the smallest rule that allows an act on a path.
func PathRule(act Act, name string) Rule {
	r := Rule{kind: kindPathRule, aboutPath: aboutPath{globs: []string{escapeGlobstar(name)}, acts: []Act{act}}}
	r.Decision = Allow
	return r
}

func escapeGlobstar(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`, "}", `\}`).Replace(s)
}

// HostRule is the smallest rule that allows traffic.
func HostRule(host, method string) Rule {
	r := Rule{kind: kindHostRule, aboutHost: aboutHost{hosts: []string{strings.ToLower(host)}, methods: []string{method}}}
	r.Decision, r.OneHost = Allow, true
	return r
}

// MCPRule is the smallest rule that allows a tool.
func MCPRule(server, tool string) Rule {
	r := Rule{kind: kindMCPRule, aboutMCP: aboutMCP{server: server, tools: []string{tool}}}
	r.Decision, r.OneHost = Allow, true
	return r
}

// Smallest is the smallest addition to policy.toml that makes [Policy.Command]
// allow a, or empty where none can, or where none is needed.
func (p *Policy) Smallest(a *Analysis, w When) string {
	return rulesTOML(p.exactRules(a, w))
}

func rulesTOML(rules []Rule) string {
	texts := make([]string, len(rules))
	for i := range rules {
		texts[i] = rules[i].TOML()
	}
	return strings.Join(texts, "\n")
}

// Scopes offers what can be remembered about a, from exact to general; empty
// when nothing can. Approving a scope makes the identical command allowed.
func (p *Policy) Scopes(a *Analysis, w When) []Scope {
	exact := p.exactRules(a, w)
	if len(exact) == 0 {
		return nil
	}
	out := []Scope{{Title: "exactly this", Rules: exact, Matches: a.Text, Not: p.counterExample(a, exact, w)}}
	open := p.uncovered(a, w)
	if len(open) == 1 && open[0].Kind == PartCall && a.Code == "" {
		out = append(out, widerScopes(open[0])...)
	}
	for i := range out {
		out[i].TOML = rulesTOML(out[i].Rules)
	}
	return p.sound(out, a, w)
}

// sound keeps the scopes whose rules really do what the offer says.
func (p *Policy) sound(scopes []Scope, a *Analysis, w When) []Scope {
	return slices.DeleteFunc(scopes, func(s Scope) bool {
		q := p.With(s.Rules...)
		if q.Command(a, w).Allow == nil {
			return true
		}
		if a.Code != "" {
			return false
		}
		return q.allows(s.Not, a, w)
	})
}

// allows reports whether rules alone let a text run, proven parts included.
func (p *Policy) allows(text string, near *Analysis, w When) bool {
	a := Parse(text, near.where)
	return a.ReadOnly || p.Command(a, w).Allow != nil
}

// counterExample is a text near a's that an exact rule does not cover.
func (p *Policy) counterExample(a *Analysis, rules []Rule, w When) string {
	q := p.With(rules...)
	for _, more := range []string{" x", " x y", "\nx"} {
		if not := a.Text + more; !q.allows(not, a, w) {
			return not
		}
	}
	return a.Text + "\nunknown-program"
}

// widerScopes go from the program, subcommand and options that were seen to
// the subcommand with any harmless option. Nothing wide is offered for what
// deletes, what talks to others, what runs whatever it is told, and what hands
// its words on to something that may: a script, a target, another program.
func widerScopes(part *Part) []Scope {
	c := part.call
	name := part.Name
	if c.outside || c.loose || c.spec == nil || c.spec.style == styleRaw || c.broken != "" || reachesOut(part) || len(part.Effects.Deletes) > 0 {
		return nil
	}
	if slices.ContainsFunc(c.flags, func(u flagUse) bool { return u.opt == nil || runsOther(u.opt.kind) }) {
		return nil // a rule names options, not what they run
	}
	sub := subWords(part)
	if part.pinned || isShell(name) || c.spec.operandIs(kindScript) || len(sub) == 0 && wideAlone(name) && !checkers[name] {
		return nil
	}
	if len(sub) > 0 && (!takesFiles[name] || handsOn[name+"/"+sub[0]]) {
		return nil
	}
	base := Rule{kind: kindRule, aboutCommand: aboutCommand{cmds: []string{name}}}
	base.Decision = Allow
	if len(sub) > 0 {
		base.subs = [][]string{sub}
	}
	head := strings.Join(append([]string{name}, sub...), " ")
	seen := base
	seen.only, seen.hasOnly = flagNames(c), true
	s := Scope{Title: head + " with any files of the workspace, " + onlyFlags(seen.only), Rules: []Rule{seen},
		Matches: strings.Join(append(append([]string{head}, seen.only...), "other"), " "), Not: head + " --unseen-option"}
	out := []Scope{s}
	if generous[name] && len(sub) > 0 && len(riskyFlags(c)) > 0 {
		out = append(out, freeScope(c, base, head))
	}
	return out
}

func onlyFlags(flags []string) string {
	if len(flags) == 0 {
		return "without options"
	}
	return "with no options but " + strings.Join(flags, " ")
}

// freeScope is the subcommand with any option that the grammar does not know
// to write, run or reach out.
func freeScope(c *call, base Rule, head string) Scope {
	base.forbid = riskyFlags(c)
	return Scope{Title: head + " with any known option that neither writes nor runs", Rules: []Rule{base}, Matches: head + " other",
		Not: head + " " + base.forbid[0] + " x"}
}

// reachesOut reports whether a part talks to the network or to a daemon that
// does as it is told.
func reachesOut(part *Part) bool {
	if len(part.Effects.Network) > 0 {
		return true
	}
	for _, s := range []*spec{part.call.spec, part.call.sub} {
		if s != nil && (s.net || s.name == "docker") {
			return true
		}
	}
	return false
}

// takesFiles are the programs whose words behind the subcommand are files,
// packages and revisions, and handsOn the subcommands of theirs that hand them
// on to something else.
var (
	takesFiles = setOf(`go git cargo dotnet mix hg svn`)
	handsOn    = setOf(`go/run go/generate go/tool go/get go/install go/env cargo/run cargo/install cargo/script cargo/add
dotnet/run dotnet/exec dotnet/tool dotnet/script dotnet/msbuild mix/run mix/eval mix/cmd mix/do git/bisect git/submodule git/rebase git/filter-branch git/config`)
)

// checkers run the project's tests and style rules on what they are given.
var checkers = setOf(`pytest eslint tsc prettier jest vitest mocha ava mypy ruff black flake8 isort pylint pyright stylelint biome
golangci-lint staticcheck shellcheck shfmt gofumpt goimports gotestsum clang-format rubocop rspec phpunit phpstan ktlint swiftlint`)

// generous are the programs whose everyday subcommands (test, build) differ
// from call to call in nothing but options.
var generous = setOf(`go make npm pnpm yarn bun cargo just task rake gradle mvn mix bundle dotnet poetry uv tox`)

// subWords are the first operands that say what the program does: the
// subcommand, or for an interpreter the script.
func subWords(part *Part) []string {
	c := part.call
	if len(c.operands) == 0 {
		return nil
	}
	first := c.operands[0]
	if !first.known || first.glob != "" || first.text == "" || strings.HasPrefix(first.text, "-") || strings.ContainsAny(first.text, " \t\n") {
		return nil
	}
	if c.sub != nil && c.sub != c.spec || subPrograms[part.Name] || part.Name == "go" || isShell(part.Name) || c.spec.operandIs(kindScript) {
		out := []string{first.text}
		if len(c.operands) > 1 && nestedSub[part.Name+"/"+first.text] && c.operands[1].known && !strings.ContainsAny(c.operands[1].text, " \t\n") {
			out = append(out, c.operands[1].text)
		}
		return out
	}
	return nil
}

func (s *spec) operandIs(k kind) bool {
	got, ok := s.operandKind(0)
	return ok && got == k
}

// subPrograms take a subcommand first, though no table here lists them.
var subPrograms = setOf(`npm pnpm yarn bun deno cargo make just task rake docker podman kubectl helm terraform gh glab pip pip3 poetry uv
bundle gem mix dotnet gradle mvn brew apt composer rustup nx turbo`)

// nestedSub are subcommands whose next word names what runs.
var nestedSub = setOf(`npm/run npm/run-script pnpm/run yarn/run bun/run deno/task docker/compose go/mod go/tool
git/stash git/remote git/worktree poetry/run uv/run gh/pr gh/issue gh/run`)

func flagNames(c *call) []string {
	var out []string
	for _, u := range c.flags {
		if !slices.Contains(out, u.raw) {
			out = append(out, u.raw)
		}
	}
	return out
}

// riskyFlags are the options of the grammar that write, run or reach out.
func riskyFlags(c *call) []string {
	var out []string
	for _, s := range []*spec{c.sub, c.spec} {
		if s == nil {
			continue
		}
		for _, o := range s.opts {
			switch o.kind {
			case kindText, kindMeta, kindName, kindList:
			default:
				if !slices.Contains(out, o.name) {
					out = append(out, o.name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
