package gate

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// A target is what rules can speak about.
type target interface {
	speak(*commandpolicy.Policy, commandpolicy.When) commandpolicy.Spoken
}

// commandTarget is the text of a command, or the arguments of a git call.
type commandTarget struct {
	a     *commandpolicy.Analysis
	stdin bool // something is fed to it that the text does not show
}

func (t commandTarget) speak(p *commandpolicy.Policy, w commandpolicy.When) commandpolicy.Spoken {
	return p.Command(t.a, w)
}

// readsProgram says that a part takes its program from standard input: a rule
// about it would be one about a bare interpreter, and cover whatever any other
// part gives it to run.
func readsProgram(p commandpolicy.Part) bool {
	code := slices.ContainsFunc(p.Effects.Executes, func(s string) bool { return strings.HasPrefix(s, "code:") })
	return code && !slices.ContainsFunc(p.Argv[1:], func(a commandpolicy.Arg) bool { return !strings.HasPrefix(a.Text, "-") })
}

// pathTarget is a path. An allow rule must name the first act; a rule about
// any of the acts tightens.
type pathTarget struct {
	path string
	acts []commandpolicy.Act
	tree bool // a folder that is taken as a whole, with all beneath it
}

func (t pathTarget) speak(p *commandpolicy.Policy, w commandpolicy.When) commandpolicy.Spoken {
	var out commandpolicy.Spoken
	for i, act := range t.acts {
		s := p.Tree(act, t.path, t.tree, w)
		if i == 0 {
			out = s
			continue
		}
		out = tighten(out, s)
	}
	return out
}

// tighten adds to s what other forbids or asks about.
func tighten(s, other commandpolicy.Spoken) commandpolicy.Spoken {
	if s.Deny == nil {
		s.Deny = other.Deny
	}
	if s.Ask == nil {
		s.Ask = other.Ask
	}
	return s
}

// hostTarget is a host with the method that reaches it. A push needs, beside
// the host, a rule about the git call itself.
type hostTarget struct {
	host   string // lower case, without port
	port   string // "" for the usual ones
	method string
	push   *commandpolicy.Analysis // the git call, for PUSH
}

// The methods that host rules know.
const (
	methodGet     = "GET"
	methodPush    = "PUSH"
	methodConnect = "CONNECT"
)

// speak is what the host rules say. None of them allows a host that is not
// known, a pattern of hosts, or an unusual port.
func (t hostTarget) speak(p *commandpolicy.Policy, w commandpolicy.When) commandpolicy.Spoken {
	if t.host == "" {
		return commandpolicy.Spoken{}
	}
	s := p.Host(t.host, t.method, w)
	if strings.ContainsAny(t.host, "*?") || t.port != "" {
		s.Allow = nil
	}
	return s
}

// callAllowed says that the rules which a host rule needs beside it are there:
// for a push, one that allows the git call.
func (t hostTarget) callAllowed(p *commandpolicy.Policy, w commandpolicy.When) bool {
	return t.push == nil || p.Command(t.push, w).Allow != nil
}

// toolTarget is a tool of an MCP server.
type toolTarget struct{ server, tool string }

func (t toolTarget) speak(p *commandpolicy.Policy, w commandpolicy.When) commandpolicy.Spoken {
	return p.MCP(t.server, t.tool, w)
}

// splitHost takes host[:port] apart, in lower case and without a last dot.
func splitHost(s string) (host, port string) {
	s = strings.ToLower(s)
	switch {
	case strings.HasPrefix(s, "["):
		inner, rest, _ := strings.Cut(s[1:], "]")
		host, port = inner, strings.TrimPrefix(rest, ":")
	case strings.Count(s, ":") == 1:
		host, port, _ = strings.Cut(s, ":")
	default:
		host = s
	}
	return strings.TrimSuffix(host, "."), port
}

// remoteHost is the host of a git remote, "" where it has none or it cannot be
// told: scheme://[user@]host[:port]/path, or [user@]host:path.
func remoteHost(remote string) (host, port string) {
	if scheme, rest, ok := strings.Cut(remote, "://"); ok {
		if scheme == "file" || scheme == "" {
			return "", ""
		}
		authority, _, _ := strings.Cut(rest, "/")
		if strings.ContainsAny(authority, `\?#`) {
			return "", ""
		}
		host, port = splitHost(authority[strings.LastIndex(authority, "@")+1:])
		if port == "22" && strings.Contains(scheme, "ssh") {
			port = ""
		}
		return host, port
	}
	authority, _, ok := strings.Cut(remote, ":")
	if !ok || authority == "" || strings.ContainsAny(authority, `/\`) {
		return "", "" // a path
	}
	host, _ = splitHost(authority[strings.LastIndex(authority, "@")+1:])
	return host, ""
}
