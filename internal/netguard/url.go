package netguard

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// A Target is a URL that was understood, and not yet resolved.
type Target struct {
	URL  *url.URL   // as given: the path is not decoded or cleaned
	Host string     // canonical: lower case, no trailing dot, no brackets
	Addr netip.Addr // set when the host is a literal
	Port uint16
}

const maxURL = 8 << 10

// privateSuffixes are names that mean something only on a local network
// (RFC 6761, 6762, 7686, 8375, 9476, draft-ietf-dnsop-private-use-tld) or that
// sites use so.
var privateSuffixes = []string{
	"localhost", "local", "localdomain", "internal", "intranet", "private", "lan",
	"home", "corp", "test", "invalid", "onion", "alt", "svc", "arpa",
}

// parse understands raw under no policy yet.
func parse(raw string) (Target, error) {
	if err := checkText(raw); err != nil {
		return Target{}, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}, refuse(CodeHost, "", "the text is no URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return Target{}, refuse(CodeScheme, "", "only http and https URLs are fetched, and this one has %q", u.Scheme)
	case u.Opaque != "" || u.Host == "":
		return Target{}, refuse(CodeHost, "", "the URL has no host")
	case u.User != nil || strings.Contains(authority(raw), "@"):
		return Target{}, refuse(CodeUserinfo, "", "a user or password in a URL is refused")
	}
	host, port := splitPort(authority(raw))
	canonical, addr, err := canonicalHost(host)
	if err != nil {
		return Target{}, err
	}
	n, err := portOf(u.Scheme, port, canonical)
	if err != nil {
		return Target{}, err
	}
	return Target{URL: u, Host: canonical, Addr: addr, Port: n}, nil
}

// checkText refuses bytes that parsers of URLs are known to disagree about.
func checkText(raw string) error {
	if len(raw) > maxURL {
		return refuse(CodeText, "", "the URL is longer than %d bytes", maxURL)
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c >= 0x80:
			return refuse(CodeText, "", "the URL holds a byte that is not ASCII at %d; write the host as xn--… and the rest with %%xx%s", i, punycodeHint(raw))
		case c <= ' ' || c == 0x7f || c == '\\':
			return refuse(CodeText, "", "the URL holds the byte %q at %d", c, i)
		}
	}
	return nil
}

// punycodeHint spells a non-ASCII host in ASCII, where that is possible. It is
// offered, not used: the reader then sees what letters alone can hide.
func punycodeHint(raw string) string {
	host, _ := splitPort(authority(raw))
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || ascii == host {
		return ""
	}
	return " (the host would be " + ascii + ")"
}

// authority is what stands between // and the first / ? or #, untouched.
func authority(raw string) string {
	_, rest, ok := strings.Cut(raw, "//")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// splitPort cuts an authority without user at the colon of its port.
func splitPort(auth string) (host, port string) {
	i := strings.LastIndexByte(auth, ':')
	if i < 0 || strings.Contains(auth[i:], "]") {
		return auth, ""
	}
	return auth[:i], auth[i+1:]
}

// portOf reads a port in its one spelling; none is the scheme's own.
func portOf(scheme, text, host string) (uint16, error) {
	if text == "" {
		if scheme == "https" {
			return 443, nil
		}
		return 80, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
		return 0, refuse(CodePort, host, "the port is not a plain number from 1 to 65535")
	}
	return uint16(n), nil
}

// canonicalHost gives the one spelling of a host: a literal as netip prints
// it, or a name in lower case without a trailing dot.
func canonicalHost(host string) (string, netip.Addr, error) {
	var none netip.Addr
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", none, refuse(CodeHost, "", "what stands in brackets is no IPv6 address without a zone")
		}
		return addr.String(), addr, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is4() {
		return addr.String(), addr, nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if err := checkName(name); err != nil {
		return "", none, err
	}
	return name, none, nil
}

// bracket writes an IPv6 literal as a URL does.
func bracket(host string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "[" + host + "]"
	}
	return host
}

// checkName accepts letters, digits, hyphens and underscores in labels of at
// most 63 bytes, 253 in all (RFC 1035, 2.3.4; RFC 1123, 2.1).
func checkName(name string) error {
	labels := strings.Split(name, ".")
	if name == "" || len(name) > 253 {
		return refuse(CodeHost, "", "the host is empty or longer than 253 bytes")
	}
	for _, label := range labels {
		if !validLabel(label) {
			return refuse(CodeHost, "", "the host holds a part that is no name")
		}
	}
	if last := labels[len(labels)-1]; numeric(last) {
		return refuse(CodeHost, name, "a host that ends in a number is an IPv4 address in disguise; write it as a.b.c.d")
	}
	return nil
}

func validLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for i := range len(label) {
		switch c := label[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	if strings.HasPrefix(label, "xn--") {
		_, err := idna.Lookup.ToUnicode(label)
		return err == nil
	}
	return true
}

// numeric says whether some parser of addresses takes label for a number: all
// digits, or 0x and hexadecimal digits or nothing (WHATWG URL, 3.5).
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// checkPublicName refuses names that only a local network answers.
func checkPublicName(name string) error {
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	if slices.Contains(privateSuffixes, last) {
		return refuse(CodeHost, name, "%s is a name of a local network (.%s)", name, last)
	}
	if len(labels) < 2 {
		return refuse(CodeHost, name, "%s has no dot: only a local network answers it", name)
	}
	return nil
}

func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
