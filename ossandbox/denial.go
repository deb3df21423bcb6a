package ossandbox

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

const maxDenials = 5

// refusals are the system's words for what the sandbox does to a program.
var refusals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)read-only file system|permission denied|operation not permitted|device or resource busy|no such file or directory|cannot find|EROFS|EACCES|EPERM|ENOENT`)
})

// offline are the words of programs that want a network where there is none.
var offline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)could not resolve|failure in name resolution|name or service not known|EAI_AGAIN|ENOTFOUND|ENOTCACHED|network is unreachable|ENETUNREACH|dial tcp: lookup|no such host|disabled by GOPROXY=off|getaddrinfo|no matching distribution found|attempting to make an HTTP request.*offline|unable to update registry|offline mode`)
})

// hostIn finds the host of an offline message, where it names one.
var hostIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:https?://|resolve host:? |lookup |ENOTFOUND |EAI_AGAIN )\[?([a-z0-9][a-z0-9.-]*\.[a-z]{2,})`)
})

// pathIn finds what may be a path: quoted, or with a slash, or a dotted name.
var pathIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("['\"`‘“]([^'\"`’”\n]+)['\"`’”]|((?:\\./|\\.\\./|~/|/)[^\\s:'\",;)]+|[\\w.-]+(?:/[\\w.@+-]+)+|\\.[A-Za-z][\\w.-]*)")
})

// speaker is the program that complains, at the begin of its line.
var speaker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/(usr/)?(local/)?s?bin/[^\s:]+: `) })

// denials guesses, from the last output of a failed command, what the sandbox
// stopped.
func denials(tail []byte, v *view, p Profile) (l []Denial) {
	add := func(d Denial) {
		if len(l) < maxDenials && !slices.Contains(l, d) {
			l = append(l, d)
		}
	}
	if v.refused != nil {
		for _, host := range v.refused() {
			add(Denial{Path: host, Host: host, Rule: "not in the list of hosts", Allow: "--allow-host " + host})
		}
	}
	for line := range strings.Lines(string(tail)) {
		if offline().MatchString(line) && p.kind != profileNet {
			d := Denial{Path: "the network", Rule: "the profile " + p.Name() + " has none", Allow: "the profile net and the host's name"}
			if m := hostIn().FindStringSubmatch(line); m != nil {
				d.Path, d.Host, d.Allow = m[1], m[1], "--profile net --allow-host "+m[1]
			}
			add(d)
		}
		if !refusals().MatchString(line) {
			continue
		}
		for _, m := range pathIn().FindAllStringSubmatch(speaker().ReplaceAllString(line, ""), -1) {
			name := m[1] + m[2]
			if d, ok := v.denial(name); ok {
				add(d)
			}
		}
	}
	return l
}

// denial says by what rule of the view a path is closed, if by one.
func (v *view) denial(name string) (Denial, bool) {
	p := name
	switch {
	case strings.HasPrefix(p, "~/"):
		p = filepath.Join(v.home, p[2:])
	case !filepath.IsAbs(p):
		p = filepath.Join(v.dir, p)
	}
	p = filepath.Clean(p)
	if rel, ok := below(v.spelling, p); ok {
		p = filepath.Join(v.work, rel)
	}
	if slices.Contains(v.hidden, p) {
		return Denial{Path: name, Rule: ruleWithheld}, true
	}
	if rule := v.ruleOf(p); rule != "" {
		return Denial{Path: name, Rule: rule, Allow: "the file tools, which ask"}, true
	}
	if _, ok := below(v.work, p); ok {
		if !v.writes {
			return Denial{Path: name, Rule: "the profile observe writes nothing", Allow: "the profile work"}, true
		}
		return Denial{}, false
	}
	for _, dir := range systemFolders {
		if _, ok := below(dir, p); ok {
			return Denial{Path: name, Rule: "system folders are read-only"}, exists(p) || exists(filepath.Dir(p))
		}
	}
	for _, dir := range slices.Concat(v.tools, v.extra) {
		if _, ok := below(dir, p); ok {
			return Denial{Path: name, Rule: "tool folders are read-only"}, true
		}
	}
	if v.withheld(p) {
		return Denial{Path: name, Rule: ruleWithheld}, exists(p)
	}
	if _, ok := below(v.home, p); ok && exists(p) {
		return Denial{Path: name, Rule: "the home folder is an empty one", Allow: "an extra readable path in the settings"}, true
	}
	private := slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/dev", "/proc", "/run"}, func(dir string) bool { _, ok := below(dir, p); return ok })
	if filepath.IsAbs(name) && !private && exists(p) {
		return Denial{Path: name, Rule: "outside the workspace", Allow: "an extra readable path in the settings"}, true
	}
	return Denial{}, false
}

// ruleWithheld is the rule about what looks like a secret, or is our own state.
// There is no advice how to open it: the model reads that too.
const ruleWithheld = "keys, logins and our own state are withheld on purpose"

// withheld says whether a path looks like a key, a login or a history, or is of
// our own state: to show it is nothing to propose.
func (v *view) withheld(p string) bool {
	if _, ok := below(v.state, p); ok {
		return true
	}
	name := p
	if rel, ok := below(v.home, p); ok {
		name = rel
	}
	return secretOf(v.home, p, globbed) != "" || secretName(name) || secret.SecretPath(name)
}
