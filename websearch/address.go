package websearch

import (
	"fmt"
	"net/netip"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// An Address is a URL that was understood, before anybody was asked about it
// and before anything was resolved.
type Address struct {
	URL  string // as given
	Host string // canonical: lower case, no trailing dot
	Port uint16
	// Suspicious says what in the URL looks like a secret that would leave with
	// it, one reason each. Empty means that the scan found nothing.
	Suspicious []string
	// Redirected says that another host's redirect led to this host during this
	// session.
	Redirected bool
}

// Plan understands raw without a look-up. An error says why the address would
// be refused; it is a *netguard.RefusedError or a *PolicyError.
func (w *Web) Plan(raw string) (Address, error) {
	target, err := w.guard.Parse(raw)
	if err != nil {
		return Address{}, err
	}
	if err := w.o.Domains.refuses(target.Host); err != nil {
		return Address{}, err
	}
	return Address{
		URL: raw, Host: target.Host, Port: target.Port,
		Suspicious: Scan(raw, w.o.Secrets),
		Redirected: w.redirects.leadTo(target.Host),
	}, nil
}

// A Verdict is what `tera-pilot web check` prints: whether a URL would be
// fetched with nobody to ask, and the address that would be dialled.
type Verdict struct {
	Allowed bool
	Address netip.AddrPort // that would be dialled first; valid when Allowed
	Why     string         // of a refusal
}

// CheckPlan is Plan for callers that nobody can be asked by: a suspicious
// address is an error too.
func (w *Web) CheckPlan(raw string) (netguard.Target, error) {
	a, err := w.Plan(raw)
	if err != nil {
		return netguard.Target{}, err
	}
	if len(a.Suspicious) > 0 {
		return netguard.Target{}, fmt.Errorf("%s: a person has to be asked about it", a.Suspicious[0])
	}
	return w.guard.Parse(raw)
}
