package gitsafe

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Remote is where a Net call would go.
type Remote struct {
	Name   string // as in the configuration; empty for an address that was given
	URL    string // resolved, with a password masked
	Scheme string // https, ssh, file
	Host   string // empty for file
	Port   int    // 0 for file
	Path   string // for file: the folder, as written
	Push   bool
}

var (
	hostName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])$`)
	})
	userName      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`) })
	transportName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+.-]*::`) }) // transport.c: a helper is named before "::"
	scpLike       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:([^@/:]*)@)?(\[[^\]/]*\]|[^/:\[\]]+):(.*)$`) })
)

// parseURL reads an address as git does (git-clone(1), GIT URLS), and refuses
// every transport but https, ssh and a folder of this machine.
func parseURL(text string) (Remote, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Remote{}, refuse("", "an address holds a control character")
	}
	switch scheme, rest, ok := strings.Cut(text, "://"); {
	case strings.HasPrefix(text, "-"):
		return Remote{}, refuse("", "%q is no address", text)
	case transportName().MatchString(text):
		return Remote{}, refuse("use an https or ssh address", "%q names a transport program", text)
	case ok && scheme == "file":
		if !strings.HasPrefix(rest, "/") {
			return Remote{}, refuse("", "%q: a file address needs an absolute path", text)
		}
		folder, err := url.PathUnescape(rest) // git decodes it too
		if err != nil {
			return Remote{}, refuse("", "%q is no address", text)
		}
		return Remote{URL: text, Scheme: "file", Path: folder}, nil
	case ok && (scheme == "https" || scheme == "ssh"):
		return hierarchical(text)
	case ok:
		return Remote{}, refuse("use an https or ssh address", "git over %s:// is not accepted", scheme)
	}
	if m := scpLike().FindStringSubmatch(text); m != nil {
		if err := checkHost(m[1], m[2], text); err != nil {
			return Remote{}, err
		}
		return Remote{URL: text, Scheme: "ssh", Host: strings.Trim(m[2], "[]"), Port: 22}, nil
	}
	return Remote{URL: text, Scheme: "file", Path: text}, nil
}

func hierarchical(text string) (Remote, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return Remote{}, refuse("", "%q is no address", text)
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	user := ""
	if u.Scheme == "ssh" {
		user = u.User.Username()
	}
	if err := checkHost(user, host, u.Redacted()); err != nil {
		return Remote{}, err
	}
	port := map[string]int{"https": 443, "ssh": 22}[u.Scheme]
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return Remote{}, refuse("", "%q has no valid port", u.Redacted())
		}
	}
	return Remote{URL: masked(u), Scheme: u.Scheme, Host: strings.Trim(host, "[]"), Port: port}, nil
}

// masked hides a password, and a user name of https, which is often a token.
func masked(u *url.URL) string {
	if u.User == nil {
		return u.String()
	}
	if u.Scheme == "ssh" {
		return u.Redacted()
	}
	v := *u
	v.User = url.User("xxxxx")
	return v.String()
}

// checkHost keeps what ssh would read as an option or expand out of a host and
// a user name.
func checkHost(user, host, text string) error {
	if user != "" && !userName().MatchString(user) {
		return refuse("", "%q: no user name that is passed to ssh", text)
	}
	if !hostName().MatchString(host) {
		return refuse("", "%q: no valid host name", text)
	}
	return nil
}
