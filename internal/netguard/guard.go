package netguard

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// A Resolver answers names. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A DialFunc connects to one address that was checked.
type DialFunc func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)

// Options hand the outside world in. The zero value is the real one.
type Options struct {
	Resolver   Resolver                     // nil: Go's own resolver
	Dial       DialFunc                     // nil: TCP, with the address checked again on the socket
	Interfaces func() ([]netip.Addr, error) // nil: this machine's
	Roots      *x509.CertPool               // nil: the system's
}

// A Guard reaches what its policy allows. It holds no connection and can be
// used by many goroutines.
type Guard struct {
	policy   Policy
	resolver Resolver
	dial     DialFunc
	own      []netip.Addr
	roots    *x509.CertPool
}

const (
	resolveTimeout = 3 * time.Second
	connectTimeout = 10 * time.Second
	maxAnswers     = 64
)

// New makes a Guard. It lists the addresses of this machine, once, so that a
// public one among them is not taken for a stranger's; it fails when that
// cannot be done.
func New(p Policy, o Options) (*Guard, error) {
	g := &Guard{policy: p, resolver: o.Resolver, dial: o.Dial, roots: o.Roots}
	if g.resolver == nil {
		g.resolver = SystemResolver()
	}
	if g.dial == nil {
		g.dial = g.dialTCP
	}
	list := o.Interfaces
	if list == nil {
		list = interfaceAddrs
	}
	own, err := list()
	if err != nil {
		return nil, fmt.Errorf("list the addresses of this machine: %w", err)
	}
	g.own = own
	return g, nil
}

func interfaceAddrs() ([]netip.Addr, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if addr, ok := netip.AddrFromSlice(n.IP); ok {
				out = append(out, addr.Unmap())
			}
		}
	}
	return out, nil
}

// Policy is what the guard was made from.
func (g *Guard) Policy() Policy { return g.policy }

// Parse understands raw and holds it against the policy, as far as that can be
// done without resolving. Errors are *RefusedError.
func (g *Guard) Parse(raw string) (Target, error) {
	t, err := parse(raw)
	if err != nil {
		return Target{}, err
	}
	return t, g.check(t)
}

// check applies the policy to a target: scheme, host, port, literal.
func (g *Guard) check(t Target) error {
	p := g.policy
	switch {
	case p.scheme != "" && t.URL.Scheme != p.scheme:
		return refuse(CodePolicy, t.Host, "only %s is allowed to this host", p.scheme)
	case !p.allowsHost(t.Host):
		return refuse(CodePolicy, t.Host, "the host %s is not allowed here; allowed: %s", t.Host, p)
	case !p.allowsPort(t.Port):
		return refuse(CodePort, t.Host, "port %d is not allowed here; allowed: %s", t.Port, p)
	case t.Addr.IsValid():
		return g.checkAddr(t.Host, t.Addr)
	case p.reach == reachLoopback && !isLocalhost(t.Host):
		return refuse(CodePolicy, t.Host, "%s is not this machine; allowed are 127.0.0.1, [::1] and localhost", t.Host)
	case p.reach == reachPublic && p.host == "":
		return checkPublicName(t.Host)
	}
	return nil
}

func (g *Guard) checkAddr(host string, addr netip.Addr) error {
	if !g.policy.allows(addr) {
		return refuse(CodeAddress, host, "%s is no public address (%s)", addr, Classify(addr))
	}
	if g.policy.reach == reachPublic && slices.Contains(g.own, addr) {
		return refuse(CodeAddress, host, "%s is %s", addr, ClassOwnInterface)
	}
	return nil
}

// Resolve gives the addresses that Dial would try, in order. It asks the
// resolver once, and not at all for literals and localhost. One answer that is
// not allowed refuses the name.
func (g *Guard) Resolve(ctx context.Context, t Target) ([]netip.AddrPort, error) {
	addrs, err := g.lookup(ctx, t)
	if err != nil {
		return nil, err
	}
	out := make([]netip.AddrPort, 0, len(addrs))
	for _, a := range addrs {
		if err := g.checkAddr(t.Host, a); err != nil {
			return nil, err
		}
		out = append(out, netip.AddrPortFrom(a, t.Port))
	}
	return out, nil
}

func (g *Guard) lookup(ctx context.Context, t Target) ([]netip.Addr, error) {
	if t.Addr.IsValid() {
		return []netip.Addr{t.Addr}, nil
	}
	if isLocalhost(t.Host) { // RFC 6761, 6.3: never sent to a resolver
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", t.Host+".") // the dot: no search domains
	switch {
	case err != nil:
		return nil, refuse(CodeResolve, t.Host, "%s", resolveProblem(t.Host, err))
	case len(addrs) == 0:
		return nil, refuse(CodeResolve, t.Host, "%s has no address", t.Host)
	case len(addrs) > maxAnswers:
		return nil, refuse(CodeResolve, t.Host, "%s has more than %d addresses", t.Host, maxAnswers)
	}
	return addrs, nil
}

// resolveProblem words a resolver's error without the resolver's address.
func resolveProblem(host string, err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such name: " + host
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dns) && dns.IsTimeout:
		return "no answer in time for the name " + host
	case errors.Is(err, context.Canceled):
		return "cancelled while resolving " + host
	default:
		return "the name " + host + " could not be resolved"
	}
}

// Dial connects to the target: resolve, check every answer, then try the
// checked addresses in order.
func (g *Guard) Dial(ctx context.Context, t Target) (net.Conn, error) {
	if err := g.check(t); err != nil {
		return nil, err
	}
	addrs, err := g.Resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, addr := range addrs {
		conn, err := g.dialOne(ctx, addr)
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("connect to %s: %w", t.Host, errors.Join(failed...))
}

func (g *Guard) dialOne(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return g.dial(ctx, addr)
}

// DialHost is Dial for callers that have a host and a port and no URL, such as
// a proxy that was asked to CONNECT.
func (g *Guard) DialHost(ctx context.Context, host string, port uint16) (net.Conn, error) {
	scheme := "https"
	if g.policy.scheme != "" {
		scheme = g.policy.scheme
	}
	canonical, addr, err := canonicalHost(bracket(host))
	if err != nil {
		return nil, err
	}
	return g.Dial(ctx, Target{URL: &url.URL{Scheme: scheme, Host: canonical}, Host: canonical, Addr: addr, Port: port})
}

// dialTCP is the second lock: whatever led here, the address that the socket
// is about to connect to is checked once more.
func (g *Guard) dialTCP(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{
		Timeout: connectTimeout,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			last, err := netip.ParseAddrPort(address)
			if err != nil || (network != "tcp4" && network != "tcp6") {
				return refuse(CodeAddress, "", "%s %s is no TCP address", network, address)
			}
			if !g.policy.allowsPort(last.Port()) {
				return refuse(CodePort, "", "port %d is not allowed here", last.Port())
			}
			return g.checkAddr("", last.Addr())
		},
	}
	return d.DialContext(ctx, "tcp", addr.String())
}
