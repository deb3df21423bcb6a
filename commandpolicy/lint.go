package commandpolicy

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// exampleContext is where the examples of a rule are thought to run.
func exampleContext() Context {
	return Context{Workspace: "/workspace", Home: "/home/user", Look: nothing{}}
}

// nothing is an empty workspace in a world of which nothing is known.
type nothing struct{}

// Lstat implements [Look].
func (nothing) Lstat(p string) (Kind, string) {
	switch {
	case p == "/" || p == "/workspace":
		return KindDir, ""
	case below(p, "/workspace"):
		return KindAbsent, ""
	}
	return KindUnknown, ""
}

// Names implements [Look].
func (nothing) Names(p string) ([]string, bool) { return nil, below(p, "/workspace") }

// examples runs match and no_match of every rule.
func (l *loader) examples() {
	for i := range l.file.Rules {
		r := &l.file.Rules[i]
		for _, ex := range r.match {
			if !r.example(ex) {
				l.fail(r.Line, "the rule does not match its example %q", ex)
			}
		}
		for _, ex := range r.noMatch {
			if r.example(ex) {
				l.fail(r.Line, "the rule matches its counter-example %q", ex)
			}
		}
	}
}

// example reports whether a rule speaks about an example: a command, a path, a
// host with or without its method, or server/tool.
func (r *Rule) example(ex string) bool {
	switch r.kind {
	case kindRule:
		a := Parse(ex, exampleContext())
		for i := range a.Parts {
			if f := r.fits(&a.Parts[i]); f == fitYes || f == fitMaybe && r.Decision != Allow {
				return true
			}
		}
		return false
	case kindPathRule:
		act, name, ok := strings.Cut(ex, " ")
		if !ok {
			act, name = string(r.acts[0]), ex
		}
		c := exampleContext()
		return r.fitsPath(Act(act), c.absolute(name), When{Workspace: c.Workspace, Home: c.Home})
	case kindHostRule:
		method, host, ok := strings.Cut(ex, " ")
		if !ok {
			method, host = r.methods[0], ex
		}
		return r.fitsHost(host, method)
	case kindMCPRule:
		server, tool, _ := strings.Cut(ex, "/")
		return r.fitsMCP(server, tool)
	}
	return false
}

// absolute turns a name of a policy file into an absolute path.
func (c Context) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return path.Join(c.Home, rest)
	}
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(c.Workspace, name)
}

// remarks refuses what is over-broad or can never match, and warns of what is
// dead or wide.
func (l *loader) remarks() {
	for i := range l.file.Rules {
		r := &l.file.Rules[i]
		switch r.kind {
		case kindRule:
			l.remarkCommand(r)
		case kindPathRule:
			l.remarkPath(r)
		case kindHostRule:
			l.remarkHost(r)
		case kindMCPRule:
			if r.Decision == Allow && strings.ContainsAny(r.server, "*?[") {
				l.fail(r.Line, "over-broad: a server is named by its own name, not by a pattern")
			} else if r.Decision == Allow && len(r.tools) == 0 {
				l.warn(r.Line, "wide: allows every tool of the server %q, also those it will have", r.server)
			}
		}
	}
	l.remarkDead()
}

// bareNever are programs that a rule may not allow without saying what they
// run: shells and interpreters, which run anything.
func bareNever(name string) bool {
	switch name {
	case "eval", "source", ".", "tera-pilot", "deno", "bun", "npx", "uvx", "pipx", "bunx", "pnpx":
		return true
	}
	if shellNames[name] {
		return true
	}
	s := specFor(name)
	return s != nil && s.operandIs(kindScript)
}

// unwrapped are programs that never stand for themselves in a part.
func unwrapped(name string) bool {
	switch name {
	case "env", "xargs", "command", "builtin", "exec", "busybox", "toybox", "eval", "trap", "watch", "parallel", "su", "script":
		return true
	}
	s := specFor(name)
	return s != nil && s.wraps
}

func (l *loader) remarkCommand(r *Rule) {
	for _, c := range r.cmds {
		switch {
		case r.Decision == Allow && strings.HasPrefix(c, "./") && validProgram(c) && (len(r.files) == 0 || len(r.cmds) != 1):
			l.fail(r.Line, "over-broad: every repository has a %s of its own; name one program, and pin its content with files = { %q = \"SHA-256\" }", c, c[2:])
		case !validCmd(c) && !validProgram(c):
			l.fail(r.Line, "cmd %q can never match: it is the program's own name, without path, arguments or pattern; a program of the workspace is written ./NAME", c)
		case r.Decision == Allow && unwrapped(c):
			l.fail(r.Line, "cmd %q can never match: the command that it runs is judged instead, so write a rule for that", c)
		case r.Decision == Allow && bareNever(c) && !r.exact && len(r.subs) == 0:
			l.fail(r.Line, "over-broad: allowing %s with any arguments allows everything; name sub or args", c)
		case r.Decision == Allow && wideAlone(c) && !r.exact && len(r.subs) == 0 && !r.hasOnly:
			l.warn(r.Line, "wide: allows %s with every subcommand; name sub or args", c)
		}
	}
}

// validCmd reports whether a program can have this name in a rule.
func validCmd(name string) bool {
	for _, r := range name {
		if r <= ' ' || r == '/' || r == '*' || r == '?' || r > '~' {
			return false
		}
	}
	return name != ""
}

// validProgram reports whether a name is one of a program of the workspace:
// "./" and a clean name beneath it.
func validProgram(name string) bool {
	rest, ok := strings.CutPrefix(name, "./")
	return ok && rest != "" && path.Clean(rest) == rest && !strings.HasPrefix(rest, "../") && rest != ".." && len(badBytes(rest)) == 0 && !strings.Contains(rest, "\n")
}

func wideAlone(name string) bool {
	s := specFor(name)
	return s == nil || s.never != "" || s.net || name == "git" || name == "go"
}

func (l *loader) remarkPath(r *Rule) {
	if r.Decision != Allow {
		return
	}
	for _, g := range r.globs {
		switch strings.TrimRight(g, "/*") {
		case "":
			if strings.HasPrefix(g, "/") {
				l.fail(r.Line, "over-broad: %q is every file of the machine", g)
			} else if !slices.Equal(r.acts, []Act{ActRead}) {
				l.warn(r.Line, "wide: %q is every file of the workspace", g)
			}
		case "~", "/home", "/root", "/etc", "/usr", "/var":
			l.warn(r.Line, "over-broad: %q is a whole home or system folder", g)
		case "~/.tera_pilot":
			l.fail(r.Line, "can never match: no rule opens the agent's own files")
		}
	}
}

func (l *loader) remarkHost(r *Rule) {
	if r.Decision != Allow {
		return
	}
	for _, h := range r.hosts {
		if rest, ok := strings.CutPrefix(h, "*."); h == "*" || ok && !strings.Contains(rest, ".") {
			l.fail(r.Line, "over-broad: %q is half the network; name hosts, or *.name.tld", h)
		}
	}
}

// remarkDead warns of a rule that can never decide anything: every case of it
// is decided by stricter rules, or by an equal one before it.
func (l *loader) remarkDead() {
	strictest := map[string]*Rule{}
	ids := map[string]*Rule{}
	for i := range l.file.Rules {
		r := &l.file.Rules[i]
		for _, k := range r.cases(true) {
			if o := strictest[k]; o == nil || r.Decision < o.Decision {
				strictest[k] = r
			}
		}
		if o := ids[r.ID]; o == nil {
			ids[r.ID] = r
		} else if o.core() == r.core() {
			l.warn(r.Line, "duplicate of line %d", o.Line)
		} else {
			l.fail(r.Line, "the id %q is taken by line %d", r.ID, o.Line)
		}
	}
	for i := range l.file.Rules {
		r := &l.file.Rules[i]
		cases := r.cases(false)
		live := slices.ContainsFunc(cases, func(k string) bool { return strictest[k] == nil || strictest[k].Decision >= r.Decision })
		if !live && len(cases) > 0 {
			l.warn(r.Line, "dead: line %d is stricter and covers it", strictest[cases[0]].Line)
		}
	}
}

// cases names what a rule speaks about, one by one. With whole, only cases that
// it decides entirely are named.
func (r *Rule) cases(whole bool) []string {
	if whole && (!r.expires.IsZero() || r.untaintedOnly || r.Grade != "") {
		return nil
	}
	bare := len(r.subs) == 0 && !r.exact && !r.hasOnly && len(r.forbid) == 0 && len(r.any) == 0
	var out []string
	switch r.kind {
	case kindRule:
		if bare || !whole {
			out = append(out, r.cmds...)
		}
	case kindPathRule:
		out = pairs(r.globs, r.acts)
	case kindHostRule:
		out = pairs(r.hosts, r.methods)
	case kindMCPRule:
		out = pairs([]string{r.server}, r.tools)
		if len(r.tools) == 0 {
			out = []string{r.server + " *"}
		}
	}
	return out
}

func pairs[A, B ~string](as []A, bs []B) []string {
	var out []string
	for _, a := range as {
		for _, b := range bs {
			out = append(out, string(a)+" "+string(b))
		}
	}
	return out
}

func validGlob(g string) bool { return doublestar.ValidatePattern(strings.TrimPrefix(g, "~/")) }

func validHost(h string) bool {
	h = strings.TrimPrefix(h, "*.")
	if h == "*" {
		return true // refused as over-broad, with a better word
	}
	return h != "" && !strings.ContainsAny(h, "/ *?@#\\") && (!strings.Contains(h, ":") || strings.Count(h, ":") > 1)
}
