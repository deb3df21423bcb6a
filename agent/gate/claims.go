package gate

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// An act is one effect, completed, with what it comes to.
type act struct {
	e      effect.Effect
	mark   Mark
	cmd    *commandpolicy.Analysis // Exec, Start, Git
	claims []claim
	fault  string // why the description is not whole: such an effect is denied
	beside bool   // its set reads a secret-like file and uses the network
}

// A claim is one row of the table that an effect comes under, with what rules
// can say about it.
type claim struct {
	row    row
	what   string               // of what, for people
	target target               // nil where no rule can speak
	said   commandpolicy.Spoken // by the rules of all layers, for the agent at hand
	secret bool                 // rowGuarded because of a secret-like file
}

// acts takes the set apart.
func (in Input) acts() []*act {
	if len(in.Set.Effects) == 0 {
		if in.Set.Free && in.Set.Tool != "" {
			return []*act{{claims: []claim{{row: rowFree, what: in.Set.Tool}}}}
		}
		return nil
	}
	out := make([]*act, len(in.Set.Effects))
	for i, e := range in.Set.Effects {
		out[i] = in.act(e, in.mark(i))
	}
	return out
}

func (in Input) act(e effect.Effect, m Mark) *act {
	a := &act{e: e, mark: m, fault: in.fault(e)}
	if in.Set.Free {
		a.fault = "the tool is declared to have no effects, and has one"
	}
	if a.fault != "" {
		return a
	}
	if e.Exec != nil {
		in.complete(a)
	}
	a.claims = in.claims(a)
	return a
}

// claims lists what an effect comes to. A kind that is not here has none, and
// is denied for that.
func (in Input) claims(a *act) []claim {
	e := a.e
	switch e.Kind {
	case effect.Read, effect.Walk:
		return []claim{in.reading(e.Kind, *e.Path)}
	case effect.Create, effect.Mkdir:
		return []claim{in.changing(rowCreate, *e.Path, commandpolicy.ActCreate)}
	case effect.Write:
		return []claim{in.changing(rowChange, *e.Path, commandpolicy.ActWrite)}
	case effect.Delete:
		return []claim{in.changing(rowChange, *e.Path, commandpolicy.ActDelete)}
	case effect.Chmod:
		return []claim{in.changing(rowChange, *e.Path, commandpolicy.ActChmod)}
	case effect.Memory:
		return []claim{in.changing(rowProtected, *e.Path, writeAct(*e.Path))}
	case effect.Rename:
		return in.renaming(*e.Path, *e.To)
	case effect.Exec:
		return in.running(a)
	case effect.Git:
		return in.git(a)
	case effect.Fetch, effect.Search:
		return []claim{networkClaim(e.Net.Host, portOf(e.Net.Port), methodOf(e), nil)}
	case effect.MCP:
		return []claim{{row: rowMCP, what: e.MCP.Server + " " + e.MCP.Tool, target: toolTarget{e.MCP.Server, e.MCP.Tool}}}
	case effect.Spawn:
		return []claim{{row: rowSpawn}}
	case effect.Start:
		return []claim{startClaim(a)}
	case effect.Config, effect.Unknown:
		return nil
	}
	return nil
}

// reading is the claim of a file tool that reads. A walk that only meets
// secret-like files leaves them out; one that names such a place reads it.
func (in Input) reading(kind effect.Kind, p effect.Path) claim {
	t := pathTarget{path: p.Abs, acts: []commandpolicy.Act{commandpolicy.ActRead}, tree: kind == effect.Walk && p.Type == effect.Dir}
	c := claim{row: rowRead, what: p.Name, target: t, secret: in.secret(p) && (kind != effect.Walk || p.Named)}
	if p.Virtual {
		return claim{row: rowRead, what: p.Name}
	}
	if c.secret || in.outside(p) {
		c.row = rowGuarded
	}
	return c
}

// changing is the claim of a file tool that changes one path.
func (in Input) changing(r row, p effect.Path, does ...commandpolicy.Act) claim {
	c := claim{row: r, what: p.Name, target: pathTarget{path: p.Abs, acts: does}}
	if in.protected(p) != "" {
		c.row = rowProtected
	}
	return c
}

// renaming claims both ends. A rule about the one speaks whatever it forbids,
// since under another name nothing would; a rule that forbids to write the other
// forbids the rename. Of a folder that holds for all beneath it. And since the content of a secret-like file is
// no longer known as such under another name, moving one is reading it.
func (in Input) renaming(from, to effect.Path) []claim {
	out := []claim{
		in.changing(rowChange, from, commandpolicy.ActRename, commandpolicy.ActDelete, commandpolicy.ActRead, commandpolicy.ActCreate,
			commandpolicy.ActWrite, commandpolicy.ActChmod),
		in.changing(rowChange, to, commandpolicy.ActRename, writeAct(to)),
	}
	for i := range out {
		t, _ := out[i].target.(pathTarget)
		t.tree = from.Type != effect.Regular && from.Type != effect.Link
		out[i].target = t
	}
	for i, p := range []effect.Path{from, to} {
		if shields(p.Abs) {
			out[i].row = rowProtected
		}
	}
	if in.secret(from) && !in.secret(to) {
		out = append(out, in.reading(effect.Read, from))
	}
	return out
}

// shields says that protected names can lie right below a folder of this name,
// which is not protected itself: .github/workflows moves with .github.
func shields(abs string) bool {
	return strings.EqualFold(abs[strings.LastIndex(abs, "/")+1:], ".github")
}

// always is an act that what is there makes no difference to.
func always(act commandpolicy.Act) func(effect.Path) commandpolicy.Act {
	return func(effect.Path) commandpolicy.Act { return act }
}

func writeAct(p effect.Path) commandpolicy.Act {
	if p.Exists {
		return commandpolicy.ActWrite
	}
	return commandpolicy.ActCreate
}

// running claims the command, each host of its network grant, and the paths
// that matter beside it.
func (in Input) running(a *act) []claim {
	x := a.e.Exec
	out := []claim{{row: rowCommand, what: text(x), target: commandTarget{a.cmd, len(x.Stdin) > 0}}}
	for _, h := range x.Hosts {
		host, port := splitHost(h)
		out = append(out, networkClaim(host, port, methodConnect, nil))
	}
	out = append(out, in.usedPaths(a.cmd)...)
	return slices.Concat(out, in.plannedReads(out, x.Reads, in.outsideRow), in.plannedChanges(out, x.Writes, writeAct, in.outsideRow),
		in.plannedChanges(out, x.Deletes, always(commandpolicy.ActDelete), in.outsideRow),
		in.plannedChanges(out, x.Chmods, always(commandpolicy.ActChmod), in.outsideRow))
}

func text(x *effect.Command) string {
	if x.Script != "" {
		return x.Script
	}
	return strings.Join(x.Argv, " ")
}

// git claims the call itself, each host that it reaches, and its paths.
func (in Input) git(a *act) []claim {
	g := a.e.Git
	a.cmd = commandpolicy.Parse(quote(append([]string{"git"}, g.Args...)), commandpolicy.Context{
		Workspace: in.Workspace, Dir: g.Dir, Home: in.Home, State: in.State,
	})
	c := claim{row: rowGitWrite, what: "git " + strings.Join(g.Args, " "), target: commandTarget{a: a.cmd}}
	if g.Class == effect.GitReads {
		c.row = rowGitRead
	}
	out := []claim{c}
	if g.Class == effect.GitNetwork {
		out = append(out, gitHosts(g, a.cmd)...)
	}
	for _, use := range a.cmd.SecretReads {
		out = append(out, in.usedPath(use, rowGuarded, true))
	}
	return slices.Concat(out, in.plannedReads(out, g.Reads, hostRow), in.plannedChanges(out, g.Writes, writeAct, hostRow))
}

// gitHosts claims each remote of a call; one that cannot be told is claimed as
// the host "", which no rule covers.
func gitHosts(g *effect.GitCall, a *commandpolicy.Analysis) []claim {
	method, push := methodGet, (*commandpolicy.Analysis)(nil)
	if g.Args[0] == "push" {
		method, push = methodPush, a
	}
	if len(g.Remotes) == 0 {
		return []claim{networkClaim("", "", method, push)}
	}
	var out []claim
	for _, remote := range g.Remotes {
		host, port := remoteHost(remote)
		out = append(out, networkClaim(host, port, method, push))
	}
	return out
}

func networkClaim(host, port, method string, push *commandpolicy.Analysis) claim {
	host, _ = splitHost(host)
	if port == "443" || port == "80" {
		port = ""
	}
	c := claim{row: rowNetwork, what: method + " " + host, target: hostTarget{host, port, method, push}}
	if host == "" {
		c.what = method + " to a host that could not be told"
	}
	return c
}

func startClaim(a *act) claim {
	if a.cmd == nil {
		return claim{row: rowStart, what: a.e.MCP.Server}
	}
	return claim{row: rowStart, what: text(a.e.Exec), target: commandTarget{a: a.cmd}}
}

// methodOf is the method of a fetch or a search. A search is a question to the
// back end that the user configured, however that wants to be asked.
func methodOf(e effect.Effect) string {
	if e.Kind == effect.Search || e.Net.Method == "" {
		return methodGet
	}
	return e.Net.Method
}

// usedPaths are the claims of what the parse of a command found.
func (in Input) usedPaths(a *commandpolicy.Analysis) []claim {
	var out []claim
	for _, use := range a.SecretReads {
		out = append(out, in.usedPath(use, rowGuarded, true))
	}
	for _, use := range a.OutsidePaths {
		if isDevice(use.Path) {
			continue
		}
		out = append(out, in.usedPath(use, in.outsideRow(use.Path, use.Act == commandpolicy.ActRead), false))
	}
	for _, use := range a.ProtectedPaths {
		out = append(out, in.usedPath(use, rowProtected, false))
	}
	for _, p := range a.Parts {
		if movesFolders[p.Name] {
			out = append(out, in.shielded(p.Effects.Writes, commandpolicy.ActWrite)...)
		}
		out = append(out, in.shielded(p.Effects.Deletes, commandpolicy.ActDelete)...)
	}
	return out
}

// shielded claims the folders whose protected content goes or comes with them.
func (in Input) shielded(names []string, does commandpolicy.Act) []claim {
	var out []claim
	for _, name := range names {
		if shields(name) && in.inside(name) {
			out = append(out, in.usedPath(commandpolicy.PathUse{Path: name, Act: does}, rowProtected, false))
		}
	}
	return out
}

// movesFolders are the commands that put a whole folder in a place at once.
var movesFolders = map[string]bool{"mv": true, "cp": true, "ln": true, "rsync": true}

func (in Input) usedPath(use commandpolicy.PathUse, r row, secret bool) claim {
	return claim{
		row: r, what: string(use.Act) + " " + in.short(use.Path), secret: secret,
		target: pathTarget{path: use.Path, acts: []commandpolicy.Act{use.Act}},
	}
}

// plannedReads are the claims of the paths that View found read, but for those
// that the parse claims already, by a more exact act. outside says what one
// outside every root comes to.
func (in Input) plannedReads(have []claim, reads []effect.Path, outside placeRow) []claim {
	var out []claim
	for _, p := range reads {
		t := pathTarget{path: p.Abs, acts: []commandpolicy.Act{commandpolicy.ActRead}}
		switch {
		case claimed(have, p.Abs, true) || isDevice(p.Abs):
		case in.secret(p):
			out = append(out, claim{row: rowGuarded, what: "read " + p.Name, target: t, secret: true})
		case in.outside(p):
			out = append(out, claim{row: outside(p.Abs, true), what: "read " + p.Name, target: t})
		}
	}
	return out
}

// plannedChanges is plannedReads for what changes a path.
func (in Input) plannedChanges(have []claim, paths []effect.Path, act func(effect.Path) commandpolicy.Act, outside placeRow) []claim {
	var out []claim
	for _, p := range paths {
		t := pathTarget{path: p.Abs, acts: []commandpolicy.Act{act(p)}}
		switch {
		case claimed(have, p.Abs, false) || isDevice(p.Abs):
		case in.outside(p):
			out = append(out, claim{row: outside(p.Abs, false), what: "change " + p.Name, target: t})
		case in.protected(p) != "":
			out = append(out, claim{row: rowProtected, what: "change " + p.Name, target: t})
		}
	}
	return out
}

// claimed says that a read, or a change, of the path is among the claims.
func claimed(have []claim, abs string, read bool) bool {
	return slices.ContainsFunc(have, func(c claim) bool {
		t, ok := c.target.(pathTarget)
		return ok && t.path == abs && (t.acts[0] == commandpolicy.ActRead) == read
	})
}

// hosts tells the hosts of an act's network claims.
func (a *act) hosts() []string {
	var out []string
	for _, c := range a.claims {
		if t, ok := c.target.(hostTarget); ok {
			out = append(out, t.host)
		}
	}
	return slices.Compact(out)
}

// sends says that the act can carry data off the machine.
func (a *act) sends() bool {
	return a.fault == "" && (len(a.hosts()) > 0 || a.e.Kind == effect.MCP && a.e.MCP.Remote)
}

// readsSecret says that the act reads a secret-like file.
func (a *act) readsSecret() bool {
	return slices.ContainsFunc(a.claims, func(c claim) bool { return c.secret })
}
