package gate

import (
	"net/netip"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// forbiddenHost says why a host as it was written may not be reached, or "".
// Names are judged again, by their addresses, when they are resolved.
func forbiddenHost(host string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return forbiddenName(host)
	}
	if class := netguard.Classify(addr); class != netguard.ClassPublic {
		return "the address " + host + " is not a public one (" + class.String() + ")"
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
