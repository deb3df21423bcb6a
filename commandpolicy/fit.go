package commandpolicy

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// fit says whether a rule fits a part: surely, perhaps (words are not known
// before the run), or not.
type fit uint8

const (
	fitNo fit = iota
	fitMaybe
	fitYes
)

// fits compares a [[rule]] with a part of a command.
func (r *Rule) fits(p *Part) fit {
	if p.Kind != PartCall {
		return r.fitsWrapper(p)
	}
	if name := p.program(); !slices.Contains(r.cmds, p.Name) && (name == "" || !slices.Contains(r.cmds, name)) {
		if p.Name == "" && r.Decision != Allow {
			return fitMaybe // a program that is not known may be the one
		}
		return r.fitsWrapper(p)
	}
	if p.call == nil {
		return fitNo
	}
	worst := fitYes
	for _, f := range []fit{r.fitsArgs(p), r.fitsSub(p.call), r.fitsFlags(p)} {
		worst = min(worst, f)
	}
	if r.Decision == Allow {
		if worst != fitYes || !allArgsKnown(p) || p.call.outside && !r.anyPath || !r.fitsPins(p) || !r.fitsRunner(p) {
			return fitNo
		}
	}
	return worst
}

// fitsWrapper lets a deny or ask rule speak about sudo, env and their like,
// which are taken off before the command they run is judged.
func (r *Rule) fitsWrapper(p *Part) fit {
	if r.Decision == Allow || len(r.subs) > 0 || r.exact || len(r.any) > 0 || r.hasOnly || len(r.forbid) > 0 {
		return fitNo
	}
	for _, w := range p.Wrappers {
		name, _, _ := strings.Cut(w, " ")
		if slices.Contains(r.cmds, name) {
			return fitYes
		}
	}
	return fitNo
}

func allArgsKnown(p *Part) bool {
	return !slices.ContainsFunc(p.Argv, func(a Arg) bool { return !a.Known })
}

// patternArgs are the arguments as written: names that one pattern became are
// one word again. ok is false when a name that a pattern became would be read
// as an option.
func patternArgs(p *Part) (args []string, ok bool) {
	last := ""
	for i, a := range p.Argv {
		if i == 0 {
			continue
		}
		if a.Glob != "" {
			if strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Glob, "-") {
				return nil, false
			}
			if a.Glob == last {
				continue
			}
			last = a.Glob
			args = append(args, a.Glob)
			continue
		}
		last = ""
		args = append(args, a.Text)
	}
	return args, true
}

func (r *Rule) fitsArgs(p *Part) fit {
	if !r.exact {
		if _, ok := patternArgs(p); !ok && r.Decision == Allow {
			return fitNo
		}
		return fitYes
	}
	args, ok := patternArgs(p)
	switch {
	case ok && slices.Equal(args, r.args):
		return fitYes
	case !allArgsKnown(p):
		return fitMaybe
	}
	return fitNo
}

// fitsSub compares the first operands.
func (r *Rule) fitsSub(c *call) fit {
	if len(r.subs) == 0 {
		return fitYes
	}
	best := fitNo
	for _, sub := range r.subs {
		best = max(best, subFit(sub, c.operands))
	}
	return best
}

func subFit(sub []string, operands []word) fit {
	for i, want := range sub {
		switch {
		case i >= len(operands):
			return fitNo
		case !operands[i].known:
			return fitMaybe
		case operands[i].text != want:
			return fitNo
		}
	}
	return fitYes
}

// fitsFlags compares the options, by the names of the grammar.
func (r *Rule) fitsFlags(p *Part) fit {
	c := p.call
	if len(r.forbid) > 0 && r.Decision == Allow && c.broken != "" && !c.loose {
		return fitNo // an option that is not known may be a forbidden one
	}
	if r.Decision == Allow && !r.exact && r.unnamedRisk(p) {
		return fitNo
	}
	if r.hasOnly {
		for _, u := range c.flags {
			if u.short && r.Decision == Allow || !flagIn(c, u, r.only, false) {
				return fitNo
			}
		}
	}
	for _, u := range c.flags {
		if flagIn(c, u, r.forbid, r.Decision == Allow) {
			return fitNo
		}
	}
	if len(r.any) == 0 {
		return fitYes
	}
	for _, u := range c.flags {
		if flagIn(c, u, r.any, r.Decision != Allow) {
			return fitYes
		}
	}
	if !allArgsKnown(p) {
		return fitMaybe
	}
	return fitNo
}

// unnamedRisk reports whether an option is given that runs a program or code,
// or that cannot be told to be harmless, and that the rule does not name.
func (r *Rule) unnamedRisk(p *Part) bool {
	for _, u := range p.call.flags {
		risky := u.opt != nil && runsOther(u.opt.kind)
		if bareNever(p.Name) {
			// The rule is about a script: nothing else may be what runs.
			risky = risky || runsElse[u.raw]
		}
		if risky && !flagIn(p.call, u, r.only, false) && !flagIn(p.call, u, r.any, false) {
			return true
		}
	}
	return false
}

func runsOther(k kind) bool {
	switch k {
	case kindExec, kindCode, kindScript, kindShell, kindAsk:
		return true
	}
	return false
}

// runsElse are options by which a shell or an interpreter runs something else
// than its first operand.
var runsElse = setOf(`-c -s -m --module -i -p -e -E -r`)

// flagIn reports whether an option as used is one of names. loose also counts
// what may be one of them: an abbreviation, or a letter of a cluster, of a
// program without a grammar.
func flagIn(c *call, u flagUse, names []string, loose bool) bool {
	for _, n := range names {
		if n == u.raw || n == u.name || c.canonical(n) == u.name && u.opt != nil {
			return true
		}
		if !loose || u.opt != nil {
			continue
		}
		if strings.HasPrefix(u.raw, "--") && strings.HasPrefix(n, u.raw) {
			return true
		}
		if len(n) == 2 && n[0] == '-' && !strings.HasPrefix(u.raw, "--") && strings.Contains(u.raw, n[1:]) {
			return true
		}
	}
	return false
}

// fitsPath compares a [[path]] rule with an act on a path.
func (r *Rule) fitsPath(act Act, name string, w When) bool {
	if !slices.Contains(r.acts, act) {
		return false
	}
	for _, g := range r.globs {
		base, g := anchored(g, w)
		if base == "" {
			if r.Decision == Allow {
				continue
			}
			base, g = "/", "**/"+g
		}
		base = path.Clean(base)
		if !below(name, base) {
			continue
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, base), "/")
		if ok, err := doublestar.Match(g, rel); ok && err == nil {
			return true
		}
	}
	return false
}

// anchored is where a glob of a [[path]] rule starts, and what it says beneath
// that. The folder is "" where nobody knows it.
func anchored(glob string, w When) (base, rest string) {
	switch {
	case strings.HasPrefix(glob, "~/"):
		return w.Home, glob[2:]
	case strings.HasPrefix(glob, "/"):
		return "/", glob[1:]
	}
	return w.Workspace, glob
}

func (r *Rule) fitsHost(host, method string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !slices.Contains(r.methods, method) {
		return false
	}
	for _, h := range r.hosts {
		if h == "*" { // of a rule that tightens; one that allows is refused as over-broad
			return true
		}
		if rest, ok := strings.CutPrefix(h, "*."); ok {
			if strings.HasSuffix(host, "."+rest) {
				return true
			}
		} else if h == host {
			return true
		}
	}
	return false
}

// fitsMCP compares names exactly where a rule allows; one that tightens also
// means those that differ in case, and takes * for every server.
func (r *Rule) fitsMCP(server, tool string) bool {
	if r.Decision == Allow {
		return r.server == server && (len(r.tools) == 0 || slices.Contains(r.tools, tool))
	}
	return (r.server == "*" || strings.EqualFold(r.server, server)) &&
		(len(r.tools) == 0 || slices.ContainsFunc(r.tools, func(name string) bool { return strings.EqualFold(name, tool) }))
}
