package websearch

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// The addresses of the tests' world: a public one, another public one and
// those that nothing may reach.
const (
	publicIP = "93.184.215.14"
	otherIP  = "93.184.215.15"
	loopIP   = "127.0.0.1"
)

// stage is a world with a server behind every public address (P), one behind
// all others (F), which must stay unvisited, and a resolver with a script.
type stage struct {
	t       *testing.T
	web     *Web
	opts    Options
	public  *httptest.Server
	tls     *httptest.Server
	got     atomic.Int64 // connections that P took
	leaked  atomic.Int64 // connections that F took
	mu      sync.Mutex
	answers map[string][][]string // by name: the n-th query's answer; the last one stays
	asked   map[string]int
}

func newStage(t *testing.T, h http.HandlerFunc, change ...func(*Options)) *stage {
	t.Helper()
	s := &stage{t: t, asked: map[string]int{}, answers: map[string][][]string{
		"pub.example.com": {{publicIP}}, "other.example.com": {{otherIP}}, "f.example.com": {{loopIP}},
	}}
	count := func(n *atomic.Int64) func(net.Conn, http.ConnState) {
		return func(_ net.Conn, st http.ConnState) {
			if st == http.StateNew {
				n.Add(1)
			}
		}
	}
	start := func(n *atomic.Int64, h http.HandlerFunc, tls bool) *httptest.Server {
		srv := httptest.NewUnstartedServer(h)
		srv.Config.ConnState = count(n)
		if tls {
			srv.StartTLS()
		} else {
			srv.Start()
		}
		t.Cleanup(srv.Close)
		return srv
	}
	s.public, s.tls = start(&s.got, h, false), start(&s.got, h, true)
	forbidden := start(&s.leaked, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("FORBIDDEN")) }, false)
	roots := x509.NewCertPool()
	roots.AddCert(s.tls.Certificate())
	s.opts = Options{
		Domains: Domains{Mode: Open}, Limits: Limits{Total: 5 * time.Second}, Secrets: secret.New(),
		Net: netguard.Options{
			Roots: roots, Resolver: s, Interfaces: func() ([]netip.Addr, error) { return nil, nil },
			Dial: func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
				to := forbidden.Listener.Addr().String()
				if netguard.Classify(a.Addr()) == netguard.ClassPublic {
					to = s.public.Listener.Addr().String()
					if a.Port() == 443 {
						to = s.tls.Listener.Addr().String()
					}
				}
				var d net.Dialer
				return d.DialContext(ctx, "tcp", to)
			},
		},
	}
	for _, c := range change {
		c(&s.opts)
	}
	var err error
	if s.web, err = New(s.opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := s.leaked.Load(); n > 0 {
			t.Errorf("the forbidden listener took %d connections", n)
		}
	})
	return s
}

// LookupNetIP implements netguard.Resolver.
func (s *stage) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	host = strings.TrimSuffix(host, ".")
	s.mu.Lock()
	defer s.mu.Unlock()
	script, ok := s.answers[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	n := min(s.asked[host], len(script)-1)
	s.asked[host]++
	var out []netip.Addr
	for _, a := range script[n] {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func (s *stage) fetch(url string) (Page, error) {
	s.t.Helper()
	return s.web.Fetch(context.Background(), url)
}

func write(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write([]byte(body))
}
