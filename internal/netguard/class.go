package netguard

import "net/netip"

// Class sorts addresses by who can be behind them. Only Public ones are
// reached without a policy that names another class.
type Class uint8

// Classes of addresses. The zero value stands for what is not understood.
const (
	ClassUnknown Class = iota
	ClassPublic
	ClassLoopback
	ClassUnspecified
	ClassPrivate
	ClassSharedNAT
	ClassLinkLocal
	ClassMetadata
	ClassUniqueLocal
	ClassSiteLocal
	ClassMulticast
	ClassBroadcast
	ClassReserved
	ClassDocumentation
	ClassBenchmark
	ClassProtocolAssigned
	ClassTranslated
	ClassDiscard
	ClassOwnInterface
)

func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return classNames[ClassUnknown]
}

var classNames = [...]string{
	ClassUnknown:          "not a public address",
	ClassPublic:           "public",
	ClassLoopback:         "loopback",
	ClassUnspecified:      "unspecified (reaches this machine)",
	ClassPrivate:          "private network",
	ClassSharedNAT:        "carrier-grade NAT",
	ClassLinkLocal:        "link-local",
	ClassMetadata:         "cloud metadata service",
	ClassUniqueLocal:      "unique local",
	ClassSiteLocal:        "site-local",
	ClassMulticast:        "multicast",
	ClassBroadcast:        "broadcast",
	ClassReserved:         "reserved",
	ClassDocumentation:    "documentation",
	ClassBenchmark:        "benchmarking",
	ClassProtocolAssigned: "protocol assignment",
	ClassTranslated:       "translation of an IPv4 address",
	ClassDiscard:          "discard prefix",
	ClassOwnInterface:     "an address of this machine",
}

// special lists what is not public, first match first. Sources: IANA IPv4 and
// IPv6 Special-Purpose Address Registries; RFC 4291, 2.5.5 (addresses that hold
// an IPv4 one); RFC 3879 (fec0::/10); RFC 3056 and 7526 (6to4); metadata
// services as their providers document them.
var special = []struct {
	prefix netip.Prefix
	class  Class
}{
	{netip.MustParsePrefix("169.254.169.254/32"), ClassMetadata},
	{netip.MustParsePrefix("169.254.170.2/32"), ClassMetadata},
	{netip.MustParsePrefix("168.63.129.16/32"), ClassMetadata},
	{netip.MustParsePrefix("100.100.100.200/32"), ClassMetadata},
	{netip.MustParsePrefix("192.0.0.192/32"), ClassMetadata},
	{netip.MustParsePrefix("fd00:ec2::/32"), ClassMetadata},
	{netip.MustParsePrefix("0.0.0.0/8"), ClassUnspecified},
	{netip.MustParsePrefix("10.0.0.0/8"), ClassPrivate},
	{netip.MustParsePrefix("100.64.0.0/10"), ClassSharedNAT},
	{netip.MustParsePrefix("127.0.0.0/8"), ClassLoopback},
	{netip.MustParsePrefix("169.254.0.0/16"), ClassLinkLocal},
	{netip.MustParsePrefix("172.16.0.0/12"), ClassPrivate},
	{netip.MustParsePrefix("192.0.0.0/24"), ClassProtocolAssigned},
	{netip.MustParsePrefix("192.0.2.0/24"), ClassDocumentation},
	{netip.MustParsePrefix("192.31.196.0/24"), ClassProtocolAssigned},
	{netip.MustParsePrefix("192.52.193.0/24"), ClassProtocolAssigned},
	{netip.MustParsePrefix("192.88.99.0/24"), ClassTranslated},
	{netip.MustParsePrefix("192.168.0.0/16"), ClassPrivate},
	{netip.MustParsePrefix("192.175.48.0/24"), ClassProtocolAssigned},
	{netip.MustParsePrefix("198.18.0.0/15"), ClassBenchmark},
	{netip.MustParsePrefix("198.51.100.0/24"), ClassDocumentation},
	{netip.MustParsePrefix("203.0.113.0/24"), ClassDocumentation},
	{netip.MustParsePrefix("224.0.0.0/4"), ClassMulticast},
	{netip.MustParsePrefix("255.255.255.255/32"), ClassBroadcast},
	{netip.MustParsePrefix("240.0.0.0/4"), ClassReserved},

	{netip.MustParsePrefix("::/128"), ClassUnspecified},
	{netip.MustParsePrefix("::1/128"), ClassLoopback},
	{netip.MustParsePrefix("::ffff:0:0/96"), ClassTranslated},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), ClassTranslated},
	{netip.MustParsePrefix("::/96"), ClassTranslated},
	{netip.MustParsePrefix("64:ff9b::/96"), ClassTranslated},
	{netip.MustParsePrefix("64:ff9b:1::/48"), ClassTranslated},
	{netip.MustParsePrefix("100::/64"), ClassDiscard},
	{netip.MustParsePrefix("100:0:0:1::/64"), ClassDiscard},
	{netip.MustParsePrefix("2001:db8::/32"), ClassDocumentation},
	{netip.MustParsePrefix("2001::/23"), ClassProtocolAssigned}, // Teredo, ORCHID, benchmarking
	{netip.MustParsePrefix("2002::/16"), ClassTranslated},
	{netip.MustParsePrefix("2620:4f:8000::/48"), ClassProtocolAssigned},
	{netip.MustParsePrefix("3fff::/20"), ClassDocumentation},
	{netip.MustParsePrefix("5f00::/16"), ClassProtocolAssigned},
	{netip.MustParsePrefix("fc00::/7"), ClassUniqueLocal},
	{netip.MustParsePrefix("fe80::/10"), ClassLinkLocal},
	{netip.MustParsePrefix("fec0::/10"), ClassSiteLocal},
	{netip.MustParsePrefix("ff00::/8"), ClassMulticast},
}

// globalUnicast is the only part of IPv6 that is given out (RFC 4291, 2.4).
var globalUnicast = netip.MustParsePrefix("2000::/3")

// Classify sorts addr. An IPv4 address inside an IPv6 one is never unwrapped:
// such forms are Translated, whatever they hold. An address with a zone is
// Unknown, or of a class that is not public.
func Classify(addr netip.Addr) Class {
	for _, s := range special {
		if s.prefix.Contains(addr.WithZone("")) {
			return s.class
		}
	}
	switch {
	case addr.Is4():
		return ClassPublic
	case addr.Is6() && !addr.Is4In6() && addr.Zone() == "" && globalUnicast.Contains(addr):
		return ClassPublic
	default:
		return ClassUnknown
	}
}
