package ossandbox

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// A hostRule is one host of a profile net.
type hostRule struct {
	name   string // canonical
	suffix bool   // the hosts below name, and not name itself
	port   uint16 // 0: 443 and 80
}

func (r hostRule) allows(host string, port uint16) bool {
	if r.port != port && !(r.port == 0 && (port == 443 || port == 80)) {
		return false
	}
	if r.suffix {
		return strings.HasSuffix(host, "."+r.name)
	}
	return host == r.name
}

// ParseHosts checks the hosts of a profile net: names in plain ASCII (xn--…
// for others), "*.suffix" of at least two labels, with or without ":port".
// Addresses are refused: a list of names is what a person can read.
func ParseHosts(hosts []string) error {
	_, err := parseHosts(hosts)
	return err
}

func parseHosts(hosts []string) ([]hostRule, error) {
	var rules []hostRule
	for _, h := range hosts {
		rest, suffix := strings.CutPrefix(h, "*.")
		name, port, err := parseHostPort(rest, 0)
		if err == nil && suffix && !strings.Contains(name, ".") {
			err = fmt.Errorf("%s is too wide", h)
		}
		if err != nil {
			return nil, &SetupError{Cause: "the host " + quoted(h) + " cannot be allowed", Err: err, Mend: "name it as example.com, *.example.com or example.com:8443"}
		}
		rules = append(rules, hostRule{name, suffix, port})
	}
	return rules, nil
}

// anyPublic understands hosts; it never dials.
var anyPublic = netguard.Public().Ports()

// parseHostPort reads host or host:port, once, into its only spelling. It
// takes names alone: no address in any notation, no user, no path.
func parseHostPort(s string, standard uint16) (host string, port uint16, err error) {
	if len(s) > 260 || strings.Trim(s, hostAlphabet) != "" || s == "" {
		return "", 0, fmt.Errorf("%s is no host name", quoted(cut(s, 80)))
	}
	name, digits, has := strings.Cut(s, ":")
	if port = standard; has {
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != digits {
			return "", 0, fmt.Errorf("%s has no plain port", quoted(cut(s, 80)))
		}
		port = uint16(n)
	}
	g, err := hostReader()
	if err != nil {
		return "", 0, err
	}
	t, err := g.Parse("https://" + name + "/")
	if err != nil {
		return "", 0, err
	}
	if t.Addr.IsValid() {
		return "", 0, fmt.Errorf("%s is an address, only names are allowed", t.Addr)
	}
	return t.Host, port, nil
}

const hostAlphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:"

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// hostReader is a guard that is used for its reading of hosts alone.
var hostReader = sync.OnceValues(func() (*netguard.Guard, error) {
	return netguard.New(anyPublic, netguard.Options{Dial: noDial, Interfaces: func() ([]netip.Addr, error) { return nil, nil }})
})
