package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// An Offer is one thing that a question can offer to keep.
type Offer struct {
	event.Scope
	// Keep is how long: 0 is this session, more is for remembered.toml.
	Keep time.Duration
	// File holds Scope.Rule in the session's layer: Rules.Add(File) remembers it
	// for this session. Nil for a grant.
	File *commandpolicy.File
	// Grant is the host to add to HostGrants, "" for a rule.
	Grant string
}

// Week is how long an offer that outlives the session is kept.
const Week = 7 * 24 * time.Hour

// maxOffers is how many scopes a question can show.
const maxOffers = 4

// Scopes lists what the question about d may offer to keep, from exact to
// general. Each was tried: with it, Decide allows in.Set. A raised question
// offers nothing, but for a fetch or a search its one host for this session.
func Scopes(in Input, d Decision) []Offer {
	switch {
	case d.Answer != Ask || d.Danger:
		return nil
	case d.Raised:
		return in.hostOffer()
	}
	var out []Offer
	for _, o := range in.ruleOffers() {
		f, err := commandpolicy.Load(strings.NewReader(o.Rule), "this session", commandpolicy.LayerSession)
		tried := in
		if err != nil || Decide(tried.with(f)).Answer != Allow {
			continue
		}
		o.File, o.ID = f, fmt.Sprintf("keep-%d", len(out)+1)
		if out = append(out, o); len(out) == maxOffers {
			break
		}
	}
	return out
}

// Past are commands of earlier turns, parsed as the world is now.
type Past []*commandpolicy.Analysis

// Names says that id is the offer's host or one of its rules.
func (o Offer) Names(id string) bool {
	if o.Grant != "" && o.Grant == id {
		return true
	}
	return o.File != nil && slices.ContainsFunc(o.File.Rules, func(r commandpolicy.Rule) bool { return r.ID == id })
}

// Covered counts the commands of the past that an offer would have let run. It
// is meant for people: nothing is decided by it.
func (o Offer) Covered(in Input, past Past) int {
	if o.File == nil {
		return 0
	}
	p, when, n := commandpolicy.New(o.File), in.chain()[0].when, 0
	for _, a := range past {
		if a.Parsed && p.Command(a, when).Allow != nil {
			n++
		}
	}
	return n
}

// hostOffer is the one offer of a raised question.
func (in Input) hostOffer() []Offer {
	if len(in.Set.Effects) != 1 {
		return nil
	}
	e := in.Set.Effects[0]
	if e.Kind != effect.Fetch && e.Kind != effect.Search {
		return nil
	}
	host, _ := splitHost(e.Net.Host)
	tried := in
	for l := &tried.Limits; ; {
		l.HostGrants = append(slices.Clone(l.HostGrants), host)
		if l.Parent == nil {
			break
		}
		above := *l.Parent
		l.Parent = &above
		l = &above
	}
	if Decide(tried).Answer != Allow {
		return nil
	}
	return []Offer{{Grant: host, Scope: event.Scope{
		ID: "host", Title: "reading from " + host + ", this session",
		Match: "GET https://" + host + "/", NoMatch: "any other host, and anything sent to " + host,
	}}}
}

// With is the input with a further file of rules, for every agent of the chain.
func (in Input) With(f *commandpolicy.File) Input { return in.with(f) }

// with adds a file of rules for every agent of the chain.
func (in Input) with(f *commandpolicy.File) Input {
	for l := &in.Limits; ; {
		l.Rules = l.Rules.Add(f)
		if l.Parent == nil {
			return in
		}
		above := *l.Parent
		l.Parent = &above
		l = &above
	}
}

// ruleOffers builds the candidates of a question from the table: of every claim
// that asks a rule, from exact to general.
func (in Input) ruleOffers() []Offer {
	open := in.open()
	if len(open) == 0 {
		return nil
	}
	var per [][]event.Scope
	longest := 0
	for _, c := range open {
		options := in.options(c)
		if len(options) == 0 {
			return nil
		}
		per = append(per, options)
		longest = max(longest, len(options))
	}
	var out []Offer
	for i := range longest {
		s := joined(per, i)
		if i == 0 {
			out = append(out, kept(s, 0))
		}
		out = append(out, kept(s, Week))
	}
	return out
}

func kept(s event.Scope, keep time.Duration) Offer {
	s.Title += ", this session"
	if keep > 0 {
		s.Title = strings.TrimSuffix(s.Title, ", this session") + ", 7 days"
	}
	return Offer{Scope: s, Keep: keep}
}

// joined takes the i-th option of each claim, or its most general one. It is
// called by what has the most options: there it is that offers differ.
func joined(per [][]event.Scope, i int) event.Scope {
	var out event.Scope
	var rules []string
	most := 0
	for _, options := range per {
		o := options[min(i, len(options)-1)]
		if len(options) > most {
			out, most = o, len(options)
		}
		if !slices.Contains(rules, o.Rule) {
			rules = append(rules, o.Rule)
		}
	}
	switch more := len(rules) - 1; {
	case more == 1:
		out.Title += " and 1 more rule"
	case more > 1:
		out.Title += fmt.Sprintf(" and %d more rules", more)
	}
	out.Rule = strings.Join(rules, "\n")
	return out
}

// open lists the claims of the set that are not allowed.
func (in Input) open() []claim {
	in.Now = onTheSecond(in.Now)
	acts, chain := in.acts(), in.chain()
	beside(acts)
	var out []claim
	for _, a := range acts {
		for _, c := range a.claims {
			if in.decideClaim(chain, a, c).answer != Allow {
				out = append(out, c)
			}
		}
	}
	return out
}

// options are the rules that would cover a claim, from exact to general.
func (in Input) options(c claim) []event.Scope {
	switch t := c.target.(type) {
	case commandTarget:
		if slices.ContainsFunc(t.a.Parts, readsProgram) {
			return nil
		}
		var out []event.Scope
		for _, s := range in.Rules.all.Scopes(t.a, in.chain()[0].when) {
			out = append(out, event.Scope{Title: s.Title, Match: s.Matches, NoMatch: s.Not, Rule: s.TOML})
		}
		return out
	case pathTarget:
		return in.pathOptions(c, t)
	case hostTarget:
		if rule := in.smallest(c); rule != "" {
			return []event.Scope{{Title: c.what, Match: c.what, NoMatch: "any other host or method", Rule: rule}}
		}
	case toolTarget:
		out := []event.Scope{{Title: c.what, Match: c.what, NoMatch: "another tool of " + t.server, Rule: in.smallest(c)}}
		if plainName(t.server) {
			out = append(out, event.Scope{
				Title: "every tool of " + t.server, Match: t.server + " " + t.tool, NoMatch: "a tool of another server",
				Rule: fmt.Sprintf("[[mcp]]\nserver = \"%s\"\ndecision = \"allow\"\n", t.server),
			})
		}
		return out
	}
	return nil
}

func (in Input) pathOptions(c claim, t pathTarget) []event.Scope {
	verb, name := string(t.acts[0]), in.short(t.path)
	out := []event.Scope{{Title: verb + " " + name, Match: name, NoMatch: "any other file", Rule: in.smallest(c)}}
	dir := path.Dir(name)
	if (c.row == rowCreate || c.row == rowChange) && in.inside(t.path) && dir != "." && plainName(dir) {
		out = append(out, event.Scope{
			Title: verb + " files in " + dir, Match: name, NoMatch: "a file outside of " + dir,
			Rule: fmt.Sprintf("[[path]]\nglob = [\"%s/**\"]\neffect = [\"%s\"]\ndecision = \"allow\"\n", dir, verb),
		})
	}
	return out
}

// plainName says that a name stands for itself in a pattern and in TOML.
func plainName(s string) bool {
	return !strings.HasPrefix(s, "~") && strings.IndexFunc(s, func(r rune) bool {
		return r < 0x20 || r == 0x7f || r == '\ufffd' || strings.ContainsRune(`*?[]{}\"`, r)
	}) < 0
}

// WouldAllow is the smallest addition to policy.toml with which Decide would
// have allowed in.Set, ready to paste; "" where no rule could. It was tried.
func WouldAllow(in Input, d Decision) string {
	if d.Answer == Allow {
		return ""
	}
	var rules []string
	for _, c := range in.open() {
		needed := in.needed(c)
		if slices.Contains(needed, "") || len(needed) == 0 {
			return ""
		}
		for _, rule := range needed {
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	text := strings.Join(rules, "\n")
	f, err := commandpolicy.Load(strings.NewReader(text), "policy.toml", commandpolicy.LayerUser)
	if err != nil || len(rules) == 0 || Decide(in.with(f)).Answer != Allow {
		return ""
	}
	return text
}

// smallest is the smallest text that would cover a claim, or "".
func (in Input) smallest(c claim) string { return strings.Join(in.needed(c), "\n") }

// needed are the smallest rules that would cover a claim together; one that is
// "" says that none could.
func (in Input) needed(c claim) []string {
	switch t := c.target.(type) {
	case commandTarget:
		return []string{in.smallestCommand(in.Rules.all, t.a)}
	case pathTarget:
		rule := commandpolicy.PathRule(t.acts[0], in.ruleName(t.path))
		return []string{rule.TOML()}
	case hostTarget:
		if t.host == "" {
			return nil
		}
		rule := commandpolicy.HostRule(t.host, t.method)
		if t.push == nil || t.callAllowed(in.Rules.user, in.chain()[0].when) {
			return []string{rule.TOML()}
		}
		return []string{rule.TOML(), in.smallestCommand(in.Rules.user, t.push)}
	case toolTarget:
		rule := commandpolicy.MCPRule(t.server, t.tool)
		return []string{rule.TOML()}
	}
	return nil
}

func (in Input) smallestCommand(p *commandpolicy.Policy, a *commandpolicy.Analysis) string {
	if slices.ContainsFunc(a.Parts, readsProgram) {
		return ""
	}
	return p.Smallest(a, in.chain()[0].when)
}

// ruleName is a path as a rule names it.
func (in Input) ruleName(abs string) string {
	name := in.short(abs)
	if strings.HasPrefix(name, "~") {
		return abs
	}
	if rel, ok := strings.CutPrefix(name, in.Home+"/"); ok && in.Home != "" {
		return "~/" + rel
	}
	return name
}
