package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
)

// SystemResolver is what a Guard asks when it is handed no resolver.
func SystemResolver() Resolver { return systemResolver{&net.Resolver{PreferGo: true}} }

// systemResolver asks for both families apart. A look-up of both at once gives
// IPv4 addresses of the hosts file in the IPv6 form, which could then not be
// told from an AAAA record that hides one.
type systemResolver struct{ families Resolver }

// LookupNetIP gives all addresses of host. A family that has none is no error;
// one that could not be asked is, since its answers could not be checked.
func (r systemResolver) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	var v4, v6 []netip.Addr
	var err4, err6 error
	var wait sync.WaitGroup
	wait.Go(func() { v4, err4 = r.families.LookupNetIP(ctx, "ip4", host) })
	wait.Go(func() { v6, err6 = r.families.LookupNetIP(ctx, "ip6", host) })
	wait.Wait()
	for _, err := range []error{err4, err6} {
		if err != nil && !notFound(err) {
			return nil, err
		}
	}
	if len(v4)+len(v6) == 0 {
		return nil, err4
	}
	all := make([]netip.Addr, 0, len(v4)+len(v6))
	for _, a := range v4 {
		all = append(all, a.Unmap())
	}
	return append(all, v6...), nil
}

// notFound says that there is no such name, or no address of the family.
func notFound(err error) bool {
	var dns *net.DNSError
	var addr *net.AddrError // the name has addresses, and none of the family
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &addr)
}
