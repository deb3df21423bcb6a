package websearch

import (
	"context"
	"net/netip"
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
		Suspicious: w.scan(raw),
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

// Check says what would become of a fetch of raw with nobody to ask: anything
// that a person would be asked about is refused. It resolves, and dials nothing.
func (w *Web) Check(ctx context.Context, raw string) Verdict {
	a, err := w.Plan(raw)
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	if len(a.Suspicious) > 0 {
		return Verdict{Why: a.Suspicious[0] + ": a person has to be asked about it"}
	}
	target, err := w.guard.Parse(raw)
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	addresses, err := w.guard.Resolve(ctx, target)
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	return Verdict{Allowed: true, Address: addresses[0]}
}
