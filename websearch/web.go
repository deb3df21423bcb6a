package websearch

import (
	"net/http"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Options are what a Web is made of. The zero value reaches trusted hosts only,
// and none is trusted.
type Options struct {
	Domains Domains
	Ports   []uint16         // beside 80 and 443
	Secrets *secret.Redactor // of this session; nil: known shapes only
	Backend Backend          // nil: no search
	Limits  Limits           // zero fields have the defaults

	Net    netguard.Options // tests hand resolver and dialer in
	Policy *netguard.Policy // nil: public addresses; tests of the guard's users hand theirs in
	Now    func() time.Time // nil: time.Now
}

// Limits bound one fetch.
type Limits struct {
	Total     time.Duration // over all hops and the body; 30 s
	Wire      int64         // bytes of a body as sent; 2 MiB
	Decoded   int64         // bytes after decompression; 5 MiB
	Header    int64         // bytes of response headers; 64 KiB
	Redirects int           // 5
	Text      int           // bytes of text that are returned; 64 KiB
	Links     int           // that are listed; 100
	Convert   time.Duration // turning HTML into text; 5 s
}

func (l Limits) withDefaults() Limits {
	fill := func(to *int64, v int64) {
		if *to <= 0 {
			*to = v
		}
	}
	fill(&l.Wire, 2<<20)
	fill(&l.Decoded, 5<<20)
	fill(&l.Header, 64<<10)
	if l.Total <= 0 {
		l.Total = 30 * time.Second
	}
	if l.Convert <= 0 {
		l.Convert = 5 * time.Second
	}
	if l.Redirects <= 0 {
		l.Redirects = 5
	}
	if l.Text <= 0 {
		l.Text = 64 << 10
	}
	if l.Links <= 0 {
		l.Links = 100
	}
	return l
}

// Web reads pages and asks the search back end, for one session. It can be
// used by many goroutines.
type Web struct {
	o         Options
	guard     *netguard.Guard
	client    doer
	cache     cache
	redirects redirects
}

// doer is what a Web asks pages by: a client of its guard.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// New makes a Web. Nothing is dialled.
func New(o Options) (*Web, error) {
	o.Limits = o.Limits.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secrets == nil {
		o.Secrets = secret.New()
	}
	policy := netguard.Public()
	if o.Policy != nil {
		policy = *o.Policy
	}
	if len(o.Ports) > 0 {
		policy = policy.Ports(append([]uint16{80, 443}, o.Ports...)...)
	}
	guard, err := netguard.New(policy, o.Net)
	if err != nil {
		return nil, err
	}
	client := guard.Client(netguard.Limits{Header: o.Limits.Header, Body: o.Limits.Wire + 1})
	return &Web{o: o, guard: guard, client: client, cache: cache{now: o.Now}}, nil
}

// redirects remembers the hosts that other hosts' redirects led to.
type redirects struct {
	mu    sync.Mutex
	hosts map[string]bool
}

func (r *redirects) add(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hosts == nil {
		r.hosts = map[string]bool{}
	}
	r.hosts[host] = true
}

func (r *redirects) leadTo(host string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hosts[host]
}
