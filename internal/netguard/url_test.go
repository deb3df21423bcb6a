package netguard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
)

// names is a resolver that answers from a table, and counts.
type names struct {
	answers map[string][]string
	asked   []string
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.asked = append(n.asked, host)
	var out []netip.Addr
	list, ok := n.answers[strings.TrimSuffix(host, ".")]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func none() ([]netip.Addr, error) { return nil, nil }

func noDial(context.Context, netip.AddrPort) (net.Conn, error) {
	return nil, errors.New("the test dials nothing")
}

func guard(t *testing.T, p Policy, o Options) *Guard {
	t.Helper()
	if o.Interfaces == nil {
		o.Interfaces = none
	}
	if o.Resolver == nil {
		o.Resolver = &names{}
	}
	g, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// would says what a fetch of raw would dial under the policy.
func would(g *Guard, raw string) ([]netip.AddrPort, error) {
	target, err := g.Parse(raw)
	if err != nil {
		return nil, err
	}
	return g.Resolve(context.Background(), target)
}

// TestURLCases holds every line of the web cases.
func TestURLCases(t *testing.T) {
	f, err := os.Open("../../testdata/suites/web/urls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		var c struct {
			URL    string    `json:"url"`
			Expect string    `json:"expect"`
			Why    string    `json:"why"`
			DNS    *[]string `json:"dns"`
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		dns := &names{answers: map[string][]string{}}
		g := guard(t, Public(), Options{Resolver: dns, Dial: noDial})
		if c.DNS != nil && len(*c.DNS) > 0 {
			if target, err := parse(c.URL); err == nil {
				dns.answers[target.Host] = *c.DNS
			}
		}
		addrs, err := would(g, c.URL)
		if got := map[bool]string{true: "allow", false: "block"}[err == nil]; got != c.Expect {
			t.Errorf("%q (%s): %s %v, %v", c.URL, c.Why, got, addrs, err)
		}
		if c.DNS == nil && len(dns.asked) > 0 {
			t.Errorf("%q: the resolver was asked for %v", c.URL, dns.asked)
		}
		for _, a := range addrs {
			if c.DNS != nil && !slices.Contains(*c.DNS, a.Addr().String()) {
				t.Errorf("%q: would dial %s, which nobody named", c.URL, a)
			}
		}
	}
	if lines != 93 {
		t.Fatalf("%d lines, and there must be 93", lines)
	}
}

// TestURLKinds goes on from there: the same kinds in other clothes.
func TestURLKinds(t *testing.T) {
	public := map[string][]string{"example.com": {"93.184.215.14"}, "a_b.example.com": {"93.184.215.14"}, "mixed.example": {"93.184.215.14", "fe80::1"},
		"zone.example": {"fe80::1%1"}, "mapped.example": {"::ffff:93.184.215.14"}, "zero.example": {"0.0.0.0"}}
	for raw, want := range map[string]bool{
		"HTTPS://example.com/":                    true,
		"https://a_b.example.com/":                true,
		"https://example.com:/":                   true,
		"http://example.com:443/":                 true,
		"http://example.com/?q=http://127.0.0.1/": true,
		"http://example.com/#@127.0.0.1":          true,
		"http://example.com?@127.0.0.1":           true,
		"https://[2001:4860:4860:0:0:0:0:8888]/":  true,
		"http://223.255.255.255/":                 true,

		"http://example.com:0443/":                         false,
		"http://example.com:+80/":                          false,
		"http://example.com:0/":                            false,
		"http://example.com:80:80/":                        false,
		"http://example.com:8080/":                         false,
		"http://@example.com/":                             false,
		"http://a@b@example.com/":                          false,
		"http:example.com/":                                false,
		"http:/example.com/":                               false,
		"http://example..com/":                             false,
		"http://.example.com/":                             false,
		"http://example.com../":                            false,
		"http://-a.example.com/":                           false,
		"http://a-.example.com/":                           false,
		"http://exam*ple.com/":                             false,
		"http://example.com;127.0.0.1/":                    false,
		"http://example.com,127.0.0.1/":                    false,
		"http://example.com%00.evil/":                      false,
		"http://%65xample.com/":                            false,
		"http://example.com\t/":                            false,
		"http://example.com/\x00":                          false,
		"http://example.com/\x7f":                          false,
		"http://example.com/a b":                           false,
		"http://example.com\\/":                            false,
		"http:\\\\example.com/":                            false,
		"http://ex\u0430mple.com/":                         false,
		"http://example\u3002com/":                         false,
		"http://\u2460\u2461\u2466.0.0.1/":                 false,
		"http://example.com/\u00e9":                        false,
		"http://xn--a/":                                    false,
		"http://xn--\u00e9.example/":                       false,
		"http://xn--0.example.com/":                        false,
		"http://0/":                                        false,
		"http://0x7f.1/":                                   false,
		"http://0x/":                                       false,
		"http://127.0.0.1./":                               false,
		"http://8.8.8.8./":                                 false,
		"http://8.8.8/":                                    false,
		"http://8.8.8.8.8/":                                false,
		"http://08.8.8.8/":                                 false,
		"http://example.1/":                                false,
		"http://example.0xFF/":                             false,
		"http://[8.8.8.8]/":                                false,
		"http://[::1%25lo]/":                               false,
		"http://[fe80::1%25eth0]/":                         false,
		"http://[2606:4700:4700::1111%25x]/":               false,
		"http://[::ffff:0:8.8.8.8]/":                       false,
		"http://[::8.8.8.8]/":                              false,
		"http://[64:ff9b:1::808:808]/":                     false,
		"http://[64:ff9b::808:808]/":                       false,
		"http://[2002:808:808::]/":                         false,
		"http://[2001::1]/":                                false,
		"http://[2001:10::1]/":                             false,
		"http://[2620:4f:8000::1]/":                        false,
		"http://[3fff::1]/":                                false,
		"http://[5f00::1]/":                                false,
		"http://[4000::1]/":                                false,
		"http://[1::1]/":                                   false,
		"http://2606:4700:4700::1111/":                     false,
		"http://[2606:4700:4700::1111/":                    false,
		"http://2606:4700:4700::1111]/":                    false,
		"http://168.63.129.16/":                            false,
		"http://192.0.0.192/":                              false,
		"http://169.254.170.2/v2/credentials":              false,
		"http://192.31.196.1/":                             false,
		"http://192.52.193.1/":                             false,
		"http://192.175.48.1/":                             false,
		"http://mixed.example/":                            false,
		"http://zone.example/":                             false,
		"http://mapped.example/":                           false,
		"http://zero.example/":                             false,
		"http://sub.home.arpa/":                            false,
		"http://svc/":                                      false,
		"http://a.cluster.local/":                          false,
		"http://x.onion/":                                  false,
		"http://x.LOCALHOST/":                              false,
		"ws://example.com/":                                false,
		"ldap://example.com/":                              false,
		"view-source:http://example.com/":                  false,
		"http://" + strings.Repeat("a", 64) + ".com/":      false,
		"http://" + strings.Repeat("a.", 127) + "com/":     false,
		"http://example.com/" + strings.Repeat("a", 8<<10): false,
		"":      false,
		"http:": false,
		"http://example.com/\r\n\r\nGET / HTTP/1.1": false,
	} {
		dns := &names{answers: public}
		addrs, err := would(guard(t, Public(), Options{Resolver: dns, Dial: noDial}), raw)
		if (err == nil) != want {
			t.Errorf("%q: %v, %v", raw, addrs, err)
		}
		var refused *RefusedError
		if err != nil && (!errors.As(err, &refused) || refused.Reason == "") {
			t.Errorf("%q: the error is no RefusedError with a reason: %v", raw, err)
		}
	}
}

func TestPunycodeIsOffered(t *testing.T) {
	_, err := guard(t, Public(), Options{}).Parse("https://bücher.example/")
	if err == nil || !strings.Contains(err.Error(), "xn--bcher-kva.example") {
		t.Errorf("the error does not say how to write the name: %v", err)
	}
}

// TestClassBorders looks at both ends of each prefix, and at their neighbours.
func TestClassBorders(t *testing.T) {
	for _, s := range special {
		first := s.prefix.Masked().Addr()
		if got := Classify(first); got == ClassPublic || got == ClassUnknown {
			t.Errorf("%s is %s", first, got)
		}
	}
	for text, want := range map[string]Class{
		"8.8.8.8": ClassPublic, "9.255.255.255": ClassPublic, "11.0.0.0": ClassPublic,
		"100.63.255.255": ClassPublic, "100.128.0.0": ClassPublic, "126.255.255.255": ClassPublic, "128.0.0.0": ClassPublic,
		"169.253.255.255": ClassPublic, "169.255.0.0": ClassPublic, "192.167.255.255": ClassPublic, "192.169.0.0": ClassPublic,
		"198.17.255.255": ClassPublic, "198.20.0.0": ClassPublic, "223.255.255.255": ClassPublic, "168.63.129.15": ClassPublic,
		"10.255.255.255": ClassPrivate, "169.254.169.254": ClassMetadata, "255.255.255.255": ClassBroadcast, "254.1.1.1": ClassReserved,
		"::ffff:127.0.0.1": ClassTranslated, "::ffff:8.8.8.8": ClassTranslated, "fe80::1%eth0": ClassLinkLocal,
		"2606:4700:4700::1111%eth0": ClassUnknown, "3ffe::1": ClassPublic, "4000::": ClassUnknown, "200::1": ClassUnknown,
		"fd00:ec2::254": ClassMetadata, "fd12::1": ClassUniqueLocal,
	} {
		if got := Classify(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	if Classify(netip.Addr{}) != ClassUnknown {
		t.Error("no address at all has a class")
	}
}

// FuzzParse: what is accepted has one spelling, which is accepted again and
// means the same; and net/http would connect to the same host and port.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://example.com/", "https://[2606:4700:4700::1111]:443/x?y#z", "http://8.8.8.8", "http://EXAMPLE.com.:80/%0d", "http://xn--bcher-kva.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := parse(raw)
		if err != nil {
			return
		}
		if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) || target.URL.User != nil {
			t.Fatalf("accepted %q", raw)
		}
		again, err := parse(target.URL.Scheme + "://" + bracket(target.Host) + "/")
		if err != nil || again.Host != target.Host {
			t.Fatalf("%q: the host %q is not accepted as it is: %v", raw, target.Host, err)
		}
		host := strings.ToLower(strings.TrimSuffix(target.URL.Hostname(), "."))
		if addr, err := netip.ParseAddr(host); err == nil {
			host = addr.String()
		}
		if host != target.Host {
			t.Fatalf("%q: net/http would go to %q, and %q was checked", raw, host, target.Host)
		}
	})
}
