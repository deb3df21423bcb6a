package netguard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a server on loopback that counts what it accepts.
type counted struct {
	*httptest.Server
	accepted atomic.Int64
}

func listen(t *testing.T, h http.HandlerFunc) *counted {
	t.Helper()
	c := &counted{}
	c.Server = httptest.NewUnstartedServer(h)
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.accepted.Add(1)
		}
	}
	c.Start()
	t.Cleanup(c.Close)
	return c
}

func (c *counted) addr() string { return c.Listener.Addr().String() }

// bring dials c whatever public address was checked, and notes which it was.
func bring(c *counted, dialled *[]netip.AddrPort) DialFunc {
	return func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		*dialled = append(*dialled, a)
		var d net.Dialer
		return d.DialContext(ctx, "tcp", c.addr())
	}
}

func get(t *testing.T, g *Guard, l Limits, url string) (*http.Response, string, error) {
	t.Helper()
	resp, err := g.Client(l).Get(url)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestDialsWhatWasChecked(t *testing.T) {
	p := listen(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	dns := &names{answers: map[string][]string{"pub.example.com": {"93.184.215.14"}}}
	var dialled []netip.AddrPort
	g := guard(t, Public(), Options{Resolver: dns, Dial: bring(p, &dialled)})
	_, body, err := get(t, g, Limits{}, "http://pub.example.com/")
	if err != nil || body != "pub.example.com" {
		t.Fatal(body, err)
	}
	if len(dns.asked) != 1 || dns.asked[0] != "pub.example.com." {
		t.Errorf("the resolver was asked for %v: once, and without search domains, was promised", dns.asked)
	}
	if len(dialled) != 1 || dialled[0].String() != "93.184.215.14:80" {
		t.Errorf("dialled %v", dialled)
	}
}

// flips answers with the first list once, then with the second.
type flips struct {
	first, then string
	asked       int
}

func (f *flips) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	f.asked++
	if f.asked == 1 {
		return []netip.Addr{netip.MustParseAddr(f.first)}, nil
	}
	return []netip.Addr{netip.MustParseAddr(f.then)}, nil
}

func TestRebinding(t *testing.T) {
	p := listen(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "public") })
	dns := &flips{first: "93.184.215.14", then: "127.0.0.1"}
	var dialled []netip.AddrPort
	g := guard(t, Public(), Options{Resolver: dns, Dial: bring(p, &dialled)})
	if _, _, err := get(t, g, Limits{}, "http://flip.example.com/"); err != nil || dns.asked != 1 {
		t.Fatal(err, dns.asked)
	}
	if _, _, err := get(t, g, Limits{}, "http://flip.example.com/"); err == nil {
		t.Error("the second answer, this machine, was followed")
	}
	if len(dialled) != 1 {
		t.Errorf("dialled %v", dialled)
	}
}

// TestSecondLock: were a forbidden address ever handed to the socket, it would
// still not connect.
func TestSecondLock(t *testing.T) {
	f := listen(t, func(http.ResponseWriter, *http.Request) {})
	g := guard(t, Public().Ports(netip.MustParseAddrPort(f.addr()).Port()), Options{})
	_, err := g.dialTCP(t.Context(), netip.MustParseAddrPort(f.addr()))
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Code != CodeAddress {
		t.Errorf("got %v", err)
	}
	if n := f.accepted.Load(); n != 0 {
		t.Errorf("%d connections were accepted", n)
	}
}

// TestForbiddenNeverConnects tries to reach a forbidden listener by every road
// that a client has, and counts what arrives.
func TestForbiddenNeverConnects(t *testing.T) {
	f := listen(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") })
	port := netip.MustParseAddrPort(f.addr()).Port()
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(v, f.URL)
	}
	dns := &names{answers: map[string][]string{
		"in.example.com": {"127.0.0.1"}, "both.example.com": {"93.184.215.14", "127.0.0.1"},
		"turned.example.com": {"127.0.0.1", "93.184.215.14"}, "six.example.com": {"2606:4700:4700::1111", "::1"}, "off.example.com": {"93.184.215.14"},
	}}
	g := guard(t, Public().Ports(port, 80, 443), Options{Resolver: dns, Dial: func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		if a.Addr().IsLoopback() {
			t.Errorf("the guard dials %s", a)
		}
		return nil, errors.New("public addresses are not dialled in tests")
	}})
	for _, url := range []string{
		f.URL, fmt.Sprintf("http://localhost:%d/", port), fmt.Sprintf("http://in.example.com:%d/", port),
		fmt.Sprintf("http://both.example.com:%d/", port), fmt.Sprintf("http://turned.example.com:%d/", port),
		fmt.Sprintf("http://six.example.com:%d/", port), "http://off.example.com/", "https://off.example.com/",
	} {
		if _, _, err := get(t, g, Limits{}, url); err == nil {
			t.Errorf("%s was fetched", url)
		}
	}
	if n := f.accepted.Load(); n != 0 {
		t.Errorf("%d connections were accepted", n)
	}
}

func TestRedirectIsReturned(t *testing.T) {
	f := listen(t, func(http.ResponseWriter, *http.Request) {})
	p := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", f.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	var dialled []netip.AddrPort
	g := guard(t, Public(), Options{Resolver: &names{answers: map[string][]string{"p.example.com": {"93.184.215.14"}}}, Dial: bring(p, &dialled)})
	resp, _, err := get(t, g, Limits{}, "http://p.example.com/")
	if err != nil || resp.StatusCode != http.StatusTemporaryRedirect || resp.Header.Get("Location") != f.URL {
		t.Errorf("%v %v", resp, err)
	}
	if f.accepted.Load() != 0 || len(dialled) != 1 {
		t.Error("the redirect was followed")
	}
}

func TestLimits(t *testing.T) {
	p := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/headers":
			for i := range 3000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 100))
			}
		case "/switch":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
				conn.Close()
			}
		case "/slow":
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			fmt.Fprint(w, strings.Repeat("b", 1000))
		}
	})
	var dialled []netip.AddrPort
	g := guard(t, Public(), Options{Resolver: &names{answers: map[string][]string{"p.example.com": {"93.184.215.14"}}}, Dial: bring(p, &dialled)})
	if _, body, err := get(t, g, Limits{Body: 1000}, "http://p.example.com/"); err != nil || len(body) != 1000 {
		t.Errorf("a body of just the allowed size: %d bytes, %v", len(body), err)
	}
	if _, body, err := get(t, g, Limits{Body: 999}, "http://p.example.com/"); !errors.Is(err, ErrTooLarge) || len(body) != 999 {
		t.Errorf("a body one byte too large: %d bytes, %v", len(body), err)
	}
	if _, _, err := get(t, g, Limits{}, "http://p.example.com/headers"); err == nil {
		t.Error("300 KB of headers were taken")
	}
	var refused *RefusedError
	if _, _, err := get(t, g, Limits{}, "http://p.example.com/switch"); !errors.As(err, &refused) || refused.Code != CodeResponse {
		t.Errorf("101: %v", err)
	}
	start := time.Now()
	if _, _, err := get(t, g, Limits{Total: 200 * time.Millisecond}, "http://p.example.com/slow"); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("a body that never ends: %v after %s", err, time.Since(start))
	}
}

func TestResolverLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := would(guard(t, Public(), Options{Resolver: silent{}}), "http://example.com/")
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Code != CodeResolve || time.Since(start) != resolveTimeout {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
	many := &names{answers: map[string][]string{"many.example.com": {}}}
	for i := range maxAnswers + 1 {
		many.answers["many.example.com"] = append(many.answers["many.example.com"], fmt.Sprintf("93.184.215.%d", i))
	}
	if _, err := would(guard(t, Public(), Options{Resolver: many}), "http://many.example.com/"); err == nil {
		t.Error("too many answers were taken")
	}
}

// silent never answers.
type silent struct{}

func (silent) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// families answers each family by itself, as net.Resolver does.
type families map[string]any // "ip4", "ip6": addresses or an error

func (f families) LookupNetIP(_ context.Context, network, _ string) ([]netip.Addr, error) {
	switch a := f[network].(type) {
	case error:
		return nil, a
	case string:
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

// TestFamilies: an IPv4 address of the hosts file comes as what it is, an AAAA
// record that hides one does not, and half an answer is none.
func TestFamilies(t *testing.T) {
	timeout := &net.DNSError{IsTimeout: true}
	for _, c := range []struct {
		answers families
		want    string
	}{
		{families{"ip4": "::ffff:93.184.215.14"}, "[93.184.215.14:80]"},
		{families{"ip4": "93.184.215.14", "ip6": "2606:4700:4700::1111"}, "[93.184.215.14:80 [2606:4700:4700::1111]:80]"},
		{families{"ip6": "2606:4700:4700::1111", "ip4": &net.AddrError{}}, "[[2606:4700:4700::1111]:80]"},
		{families{"ip6": "::ffff:93.184.215.14"}, ""},
		{families{"ip4": "::ffff:10.0.0.1"}, ""},
		{families{"ip4": "93.184.215.14", "ip6": timeout}, ""},
		{families{"ip4": timeout, "ip6": "2606:4700:4700::1111"}, ""},
		{families{}, ""},
	} {
		addrs, err := would(guard(t, Public(), Options{Resolver: systemResolver{c.answers}}), "http://example.com/")
		if got := fmt.Sprint(addrs); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%v: %s, %v", c.answers, got, err)
		}
	}
}

func TestPolicies(t *testing.T) {
	must := func(p Policy, err error) Policy {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	dns := map[string][]string{"api.example.com": {"93.184.215.14"}, "box.lan": {"192.168.1.5"}, "meta.lan": {"169.254.169.254"}, "other.example.com": {"93.184.215.15"}}
	for _, c := range []struct {
		name   string
		policy Policy
		url    string
		want   bool
	}{
		{"zero", Policy{}, "https://api.example.com/", false},
		{"zero", Policy{}, "http://8.8.8.8/", false},
		{"loopback", Loopback(), "http://127.0.0.1:11434/", true},
		{"loopback", Loopback(), "http://[::1]:1/", true},
		{"loopback", Loopback(), "http://localhost:8080/", true},
		{"loopback", Loopback(), "http://127.9.9.9/", true},
		{"loopback", Loopback(), "http://api.example.com/", false},
		{"loopback", Loopback(), "http://192.168.1.5/", false},
		{"loopback", Loopback(), "http://0.0.0.0/", false},
		{"origin", must(Origin("https://api.example.com/v1")), "https://api.example.com/v1/chat", true},
		{"origin", must(Origin("https://api.example.com")), "http://api.example.com/", false},
		{"origin", must(Origin("https://api.example.com")), "https://api.example.com:444/", false},
		{"origin", must(Origin("https://api.example.com")), "https://other.example.com/", false},
		{"origin, literal", must(Origin("http://192.168.1.5:8000")), "http://192.168.1.5:8000/v1", true},
		{"origin, literal", must(Origin("http://192.168.1.5:8000")), "http://192.168.1.6:8000/v1", false},
		{"origin, loopback", must(Origin("http://127.0.0.1:11434")), "http://127.0.0.1:11434/", true},
		{"origin, localhost", must(Origin("http://localhost:11434")), "http://localhost:11434/", true},
		{"origin, private name", must(Origin("http://box.lan:8000")), "http://box.lan:8000/", false},
		{"origin, private name allowed", must(Origin("http://box.lan:8000")).AllowLocal(), "http://box.lan:8000/", true},
		{"origin, metadata by name", must(Origin("http://meta.lan:8000")).AllowLocal(), "http://meta.lan:8000/", false},
		{"public, allow local has no effect", Public().AllowLocal(), "http://192.168.1.5/", false},
	} {
		g := guard(t, c.policy, Options{Resolver: &names{answers: dns}})
		if _, err := would(g, c.url); (err == nil) != c.want {
			t.Errorf("%s (%s): %s: %v", c.name, c.policy, c.url, err)
		}
	}
	for _, bad := range []string{"http://169.254.169.254/", "http://224.0.0.1/", "http://u@example.com/", "ftp://example.com/", "example.com", "http://2130706433/"} {
		if _, err := Origin(bad); err == nil {
			t.Errorf("Origin(%q) was taken", bad)
		}
	}
}

func TestOwnPublicAddress(t *testing.T) {
	mine := func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil }
	if _, err := would(guard(t, Public(), Options{Interfaces: mine}), "http://8.8.8.8/"); err == nil {
		t.Error("an address of this machine was taken for a stranger's")
	}
	if _, err := New(Public(), Options{Interfaces: func() ([]netip.Addr, error) { return nil, errors.New("no") }}); err == nil {
		t.Error("a guard that cannot know its own addresses was made")
	}
}

func TestDialHost(t *testing.T) {
	p := listen(t, func(http.ResponseWriter, *http.Request) {})
	var dialled []netip.AddrPort
	g := guard(t, Public(), Options{Resolver: &names{answers: map[string][]string{"p.example.com": {"93.184.215.14"}}}, Dial: bring(p, &dialled)})
	conn, err := g.DialHost(t.Context(), "p.example.com", 443)
	if err != nil || dialled[0].String() != "93.184.215.14:443" {
		t.Fatal(err, dialled)
	}
	conn.Close()
	for _, host := range []string{"127.0.0.1", "::1", "localhost", "p.example.com/x", "p.example.com:443@127.0.0.1", "a b", ""} {
		if _, err := g.DialHost(t.Context(), host, 443); err == nil {
			t.Errorf("%q was dialled", host)
		}
	}
	if len(dialled) != 1 {
		t.Errorf("dialled %v", dialled)
	}
}

// TestRealLoopback: the one test that goes through the real dialer, to a
// server of its own.
func TestRealLoopback(t *testing.T) {
	p := listen(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	_, body, err := get(t, guard(t, Loopback(), Options{}), Limits{}, p.URL)
	if err != nil || body != "here" {
		t.Error(body, err)
	}
}
