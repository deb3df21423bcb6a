package gate

import (
	"net/netip"
	"strings"
)

// refused lists the address ranges that nothing of the agent's is sent to: the
// IANA special-purpose registries, multicast, and the host service of one
// cloud that lies in public space. Of IPv6 only global unicast is dialled.
var refused = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

var globalUnicast = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, s := range texts {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// forbiddenHost says why a host as it was written may not be reached, or "".
// Names are judged again, by their addresses, when they are resolved.
func forbiddenHost(host string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return forbiddenName(host)
	}
	if addr.Zone() != "" || addr.Is4In6() || addr.Is6() && !globalUnicast.Contains(addr) {
		return "the address " + host + " is not a public one"
	}
	for _, p := range refused {
		if p.Contains(addr) {
			return "the address " + host + " is not a public one"
		}
	}
	return ""
}

// forbiddenName refuses names that resolvers take for addresses or for this
// very machine: 2130706433, 0x7f.1, localhost.
func forbiddenName(host string) string {
	last := host[strings.LastIndex(host, ".")+1:]
	switch {
	case host == "":
		return ""
	case last == "localhost":
		return "the name " + host + " is this machine"
	case last == "", strings.HasPrefix(last, "0x"), '0' <= last[0] && last[0] <= '9' && strings.Trim(last, "0123456789") == "":
		return "the name " + host + " is an address in disguise"
	}
	return ""
}
