package netguard

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// reach is the set of addresses that a policy lets a connection end at.
type reach uint8

const (
	reachNothing  reach = iota
	reachPublic         // Public only
	reachLoopback       // Loopback only
	reachLocal          // Public, Loopback, Private, UniqueLocal, SharedNAT: a host that the user named
)

// A Policy says what a Guard may reach. It is an immutable value; the zero
// Policy reaches nothing.
type Policy struct {
	reach  reach
	host   string   // canonical; the one that the user named, so that no suffix of it is refused. Empty: any
	ports  []uint16 // nil: any
	scheme string   // empty: http and https
}

// Public reaches public addresses by name or literal, on ports 80 and 443.
func Public() Policy {
	return Policy{reach: reachPublic, ports: []uint16{80, 443}}
}

// Loopback reaches this machine only: 127.0.0.0/8, ::1 and localhost, on any
// port.
func Loopback() Policy { return Policy{reach: reachLoopback} }

// Origin reaches exactly one scheme, host and port: that of raw, which the
// user wrote. A name must resolve to public addresses, localhost to loopback;
// a literal is its own permission, unless nothing good can be there (link-local,
// metadata, multicast and the like).
func Origin(raw string) (Policy, error) {
	t, err := parse(raw)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{reach: reachPublic, host: t.Host, ports: []uint16{t.Port}, scheme: t.URL.Scheme}
	switch {
	case isLocalhost(t.Host):
		p.reach = reachLoopback
	case t.Addr.IsValid():
		p.reach = reachLocal
	}
	if t.Addr.IsValid() && !p.allows(t.Addr) {
		return Policy{}, refuse(CodeAddress, t.Host, "%s is no public address (%s)", t.Addr, Classify(t.Addr))
	}
	return p, nil
}

// AllowLocal lets the one origin of p resolve to an address of a private
// network or of this machine. It is for addresses that the user named, and
// has no effect on policies that are not made by Origin.
func (p Policy) AllowLocal() Policy {
	if p.host != "" {
		p.reach = reachLocal
	}
	return p
}

// Ports gives a copy of p for these ports in place of its own.
func (p Policy) Ports(ports ...uint16) Policy {
	p.ports = slices.Clone(ports)
	return p
}

// allows says whether a connection may end at addr.
func (p Policy) allows(addr netip.Addr) bool {
	class := Classify(addr)
	switch p.reach {
	case reachPublic:
		return class == ClassPublic
	case reachLoopback:
		return class == ClassLoopback && addr.Zone() == ""
	case reachLocal:
		switch class {
		case ClassPublic, ClassLoopback, ClassPrivate, ClassUniqueLocal, ClassSharedNAT:
			return addr.Zone() == ""
		}
	}
	return false
}

func (p Policy) allowsPort(port uint16) bool {
	return p.reach != reachNothing && port != 0 && (p.ports == nil || slices.Contains(p.ports, port))
}

func (p Policy) allowsHost(host string) bool {
	return p.reach != reachNothing && (p.host == "" || p.host == host)
}

// String says the policy in words that a question or an error can show.
func (p Policy) String() string {
	where := map[reach]string{
		reachNothing: "nothing", reachPublic: "public addresses",
		reachLoopback: "this machine", reachLocal: "the named host, also on a private network",
	}[p.reach]
	if p.host != "" {
		where = fmt.Sprintf("%s (%s)", p.host, where)
	}
	if p.ports != nil {
		where += fmt.Sprintf(", ports %s", strings.Trim(fmt.Sprint(p.ports), "[]"))
	}
	return where
}

// Local says that the host of a policy made by Origin is written as an address
// of this machine or of a private network.
func (p Policy) Local() bool { return p.host != "" && p.reach != reachPublic && !p.publicLiteral() }

// publicLiteral says that the one host is an address of the public internet.
func (p Policy) publicLiteral() bool {
	addr, err := netip.ParseAddr(p.host)
	return err == nil && Classify(addr) == ClassPublic
}
