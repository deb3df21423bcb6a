package guardian

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Score says how risky the effect looks. It is pure, and reads nothing but the
// effect. A kind that is not here is High.
func Score(e effect.Effect) Risk {
	switch e.Kind {
	case effect.Read, effect.Walk:
		return scoreRead(e.Path)
	case effect.Create, effect.Write, effect.Mkdir, effect.Delete:
		return scoreChange(e.Path)
	case effect.Rename:
		return scoreChange(e.Path).Worse(scoreChange(e.To))
	case effect.Chmod:
		return scoreChange(e.Path).Worse(scoreMode(e.Mode))
	case effect.Exec:
		return scoreCommand(e.Exec)
	case effect.Git:
		return scoreGit(e.Git)
	case effect.Fetch:
		return scoreFetch(e.Net)
	case effect.Search:
		return scoreSearch(e.Net)
	case effect.MCP:
		return scoreMCP(e.MCP)
	case effect.Memory:
		return high("it changes what later sessions are told to do")
	case effect.Config:
		return high("it changes the agent's own settings")
	case effect.Spawn:
		return medium("a sub-agent acts on its own")
	case effect.Start:
		return medium("it starts a program that was approved before")
	case effect.Unknown:
		return high("an effect of an unknown kind")
	}
	return high("an effect of an unknown kind")
}

// ScoreSet is the riskiest of the set's scores. A set without effects is low
// when its tool is declared to have none, and otherwise unknown.
func ScoreSet(s effect.Set) Risk {
	if len(s.Effects) == 0 {
		if s.Free {
			return Risk{Tier: Low}
		}
		return high("the call names no effect")
	}
	out := Score(s.Effects[0])
	for _, e := range s.Effects[1:] {
		out = out.Worse(Score(e))
	}
	return out
}

func high(reason string) Risk   { return Risk{High, []string{reason}} }
func medium(reason string) Risk { return Risk{Medium, []string{reason}} }

func scoreRead(p *effect.Path) Risk {
	switch {
	case p == nil:
		return high("a read of nothing known")
	case p.Secret:
		return high("reads a secret-like file: " + p.Name)
	case p.Outside:
		return medium("reads outside the workspace: " + p.Name)
	}
	return Risk{Tier: Low}
}

func scoreChange(p *effect.Path) Risk {
	switch {
	case p == nil:
		return high("a change of nothing known")
	case p.Outside:
		return high("changes a file outside the workspace: " + p.Name)
	case p.Protected != "":
		return high("changes a protected name: " + p.Name)
	case p.Secret:
		return high("changes a secret-like file: " + p.Name)
	}
	for _, name := range []string{p.Abs, p.Target} {
		if where := criticalPlace(name); where != "" {
			return high("changes what lies in " + where)
		}
	}
	if criticalFile(path.Base("/" + p.Name)) {
		return high("changes a file that decides what is installed or who may log in: " + p.Name)
	}
	return medium("changes files")
}

// criticalPlace names the folder of keys or of the system that a path lies in.
// Whole names are compared: /etcetera is not /etc.
func criticalPlace(abs string) string {
	folded := strings.ToLower(path.Clean("/"+abs)) + "/"
	for _, dir := range []string{"/etc/", "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/boot/", "/sys/", "/proc/"} {
		if abs != "" && strings.HasPrefix(folded, dir) {
			return strings.TrimSuffix(dir, "/")
		}
	}
	for _, dir := range []string{"/.ssh/", "/.aws/", "/.config/gcloud/", "/.docker/", "/.kube/", "/.gnupg/"} {
		if strings.Contains(folded, dir) {
			return "~" + strings.TrimSuffix(dir, "/")
		}
	}
	return ""
}

// criticalFile says that a file of this name decides what is installed, or who
// may do what.
func criticalFile(base string) bool {
	base = strings.ToLower(base)
	for _, pattern := range []string{
		".env*", "requirements*.txt", "requirements.*", "pyproject.toml", "package*.json", "*lock*",
		"go.mod", "go.sum", "passwd", "shadow", "sudoers",
	} {
		if ok, err := path.Match(pattern, base); ok && err == nil {
			return true
		}
	}
	return false
}

func scoreMode(mode uint32) Risk {
	if mode&0o002 != 0 {
		return high(fmt.Sprintf("everybody may write it afterwards (%#o)", mode))
	}
	if mode&0o6000 != 0 {
		return high(fmt.Sprintf("it runs with its owner's rights afterwards (%#o)", mode))
	}
	return medium("changes rights")
}

func scoreGit(g *effect.GitCall) Risk {
	switch {
	case g == nil || len(g.Args) == 0:
		return high("an unknown git call")
	case len(g.Loses) > 0:
		return high("can lose work: " + g.Loses[0])
	}
	if why := gitDanger(g.Args); why != "" {
		return high(why)
	}
	switch g.Class {
	case effect.GitReads:
		return Risk{Tier: Low}
	case effect.GitWrites:
		return medium("changes the repository")
	case effect.GitNetwork:
		return medium("reaches a remote repository")
	case effect.GitUnknown:
		return high("an unknown git call")
	}
	return high("an unknown git call")
}

func scoreSearch(n *effect.NetCall) Risk {
	switch {
	case n == nil:
		return high("a search for nothing known")
	case n.SecretHit:
		return high("the query looks as if it held a secret")
	}
	return Risk{Tier: Low}
}

func scoreMCP(m *effect.MCPCall) Risk {
	switch {
	case m == nil:
		return high("an unknown tool")
	case !m.Pinned:
		return high("the tool is not the one that was approved")
	case m.Remote:
		return medium("sends its arguments to a server outside")
	}
	return medium("a tool of a foreign program")
}

// Shapes of query parameters that carry more than a question (TP-75).
const (
	secretValue = 16   // shortest value of a parameter named like a secret that counts
	longValue   = 80   // shortest base64-like value that counts
	longURL     = 2000 // longest URL that does not
)

func scoreFetch(n *effect.NetCall) Risk {
	switch {
	case n == nil:
		return high("a fetch of nothing known")
	case n.SecretHit:
		return high("what would be sent looks as if it held a secret")
	case len(n.URL) > longURL:
		return medium("the URL is very long")
	}
	u, err := url.Parse(n.URL)
	if err != nil {
		return high("the URL does not parse")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return high("the query of the URL does not parse")
	}
	out := medium("asks a host on the network")
	for name, values := range query {
		for _, v := range values {
			switch {
			case len(v) >= secretValue && secretName(name):
				out = out.Worse(high("sends a parameter named like a secret"))
			case len(v) >= longValue && strings.Trim(v, base64Bytes) == "":
				out = out.Worse(medium("sends a long coded parameter"))
			}
		}
	}
	return out
}

const base64Bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/-_="

func secretName(name string) bool {
	switch strings.ToLower(strings.ReplaceAll(name, "-", "_")) {
	case "api_key", "apikey", "token", "access_token", "password", "passwd", "secret", "client_secret":
		return true
	}
	return false
}
