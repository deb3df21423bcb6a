package gate

import (
	"net/url"
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// fault says why an effect is not wholly described, or "". What is not wholly
// described cannot be judged, and is denied.
func (in Input) fault(e effect.Effect) string {
	if in.Workspace == "" || in.Workspace[0] != '/' {
		return "the workspace is not known"
	}
	if e.Kind.String() == effect.Unknown.String() {
		return "the kind of the effect is not known"
	}
	if membersOf(e) != wanted(e) {
		return "its members do not fit the kind " + e.Kind.String()
	}
	switch e.Kind {
	case effect.Exec, effect.Start:
		return in.commandFault(e.Exec)
	case effect.Git:
		return in.gitFault(e.Git)
	case effect.Fetch, effect.Search:
		return netFault(e)
	case effect.MCP:
		if e.MCP.Server == "" || e.MCP.Tool == "" {
			return "the server or the tool has no name"
		}
		return ""
	case effect.Read, effect.Walk, effect.Create, effect.Write, effect.Delete, effect.Rename,
		effect.Mkdir, effect.Chmod, effect.Memory:
		return pathFault(e)
	case effect.Spawn, effect.Config:
		return ""
	case effect.Unknown:
		return "the kind of the effect is not known"
	}
	return "the kind of the effect is not known"
}

// members says which members of an effect are set.
type members struct{ path, to, after, exec, git, net, mcp, child bool }

func membersOf(e effect.Effect) members {
	return members{e.Path != nil, e.To != nil, e.After != nil, e.Exec != nil, e.Git != nil, e.Net != nil, e.MCP != nil, e.Child != nil}
}

// wanted are the members that an effect of this kind has. A start is that of a
// process, of a server reached by HTTP, or of a server's process.
func wanted(e effect.Effect) members {
	switch e.Kind {
	case effect.Read, effect.Walk, effect.Delete, effect.Mkdir, effect.Chmod:
		return members{path: true}
	case effect.Create, effect.Write, effect.Memory:
		return members{path: true, after: true}
	case effect.Rename:
		return members{path: true, to: true}
	case effect.Exec:
		return members{exec: true}
	case effect.Git:
		return members{git: true}
	case effect.Fetch, effect.Search:
		return members{net: true}
	case effect.MCP:
		return members{mcp: true}
	case effect.Start:
		return members{exec: e.Exec != nil || e.MCP == nil, mcp: e.MCP != nil}
	case effect.Config:
		return membersOf(e) // denied whatever it holds
	case effect.Spawn:
		return members{child: true}
	case effect.Unknown:
		return members{}
	}
	return members{}
}

func pathFault(e effect.Effect) string {
	for _, p := range []*effect.Path{e.Path, e.To} {
		if p == nil || p.Virtual {
			continue
		}
		if p.Abs == "" || p.Abs[0] != '/' || path.Clean(p.Abs) != p.Abs || strings.ContainsRune(p.Abs, 0) {
			return "the path " + p.Name + " is not resolved"
		}
	}
	return ""
}

func (in Input) commandFault(x *effect.Command) string {
	switch {
	case x == nil:
		return "" // a server reached by HTTP
	case x.Script == "" && len(x.Argv) == 0:
		return "the command is empty"
	case path.Clean(x.Dir) != x.Dir || !in.inside(x.Dir):
		return "the command would start outside the workspace"
	}
	return ""
}

func (in Input) gitFault(g *effect.GitCall) string {
	switch {
	case len(g.Args) == 0:
		return "the git call is empty"
	case g.Dir != "" && !in.inside(path.Clean(g.Dir)):
		return "the git call would start outside the workspace"
	case g.Class != effect.GitReads && g.Class != effect.GitWrites && g.Class != effect.GitNetwork:
		return "git " + g.Args[0] + " is not on the table of git calls"
	}
	return ""
}

// netFault holds the host that rules judge against the URL that is fetched.
func netFault(e effect.Effect) string {
	host, _ := splitHost(e.Net.Host)
	if host == "" || host != strings.Trim(strings.TrimSuffix(strings.ToLower(e.Net.Host), "."), "[]") {
		return "the host is not named"
	}
	if e.Kind == effect.Search {
		return ""
	}
	u, err := url.Parse(e.Net.URL)
	if err != nil {
		return "the URL does not parse"
	}
	if named, _ := splitHost(u.Hostname()); named != host {
		return "the URL leads to another host than the one named"
	}
	if port := u.Port(); port != "" && port != portOf(e.Net.Port) {
		return "the URL leads to another port than the one named"
	}
	return ""
}
