package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers over UDP on loopback: with the addresses of a name, and
// from the second look-up on with those of NAME-later, if there are any.
func nameServer(t *testing.T, zone map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var mu sync.Mutex
	asked := map[string]int{}
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			name, _, _ := strings.Cut(q.Name.String(), ".")
			mu.Lock()
			addrs := zone[name]
			if later := zone[name+"-later"]; later != nil && asked[name+q.Type.String()] > 0 {
				addrs = later
			}
			asked[name+q.Type.String()]++
			mu.Unlock()
			m.Header.Response, m.Header.RecursionAvailable, m.Additionals = true, true, nil
			for _, a := range addrs {
				head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
				switch addr := netip.MustParseAddr(a); {
				case addr.Is4() && q.Type == dnsmessage.TypeA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
				case !addr.Is4() && q.Type == dnsmessage.TypeAAAA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
				}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from) // whoever asked may be gone
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestANameServerThatLies: whatever a real name server answers, and answers the
// next time, no address but the public one that was checked is dialled.
func TestANameServerThatLies(t *testing.T) {
	const public = "93.184.215.14"
	dns := nameServer(t, map[string][]string{
		"flip": {public}, "flip-later": {"127.0.0.1"}, "mixed": {public, "::1"}, "mapped": {"::ffff:127.0.0.1"}, "translated": {"64:ff9b::7f00:1"},
		"link": {"fe80::1"}, "metadata": {"169.254.169.254"}, "zero": {"0.0.0.0"}, "none": {},
	})
	var dialled []string
	g := guard(t, Public(), Options{Resolver: dns, Dial: func(_ context.Context, a netip.AddrPort) (net.Conn, error) {
		dialled = append(dialled, a.String())
		return nil, errors.New("nothing is reached here")
	}})
	for _, name := range []string{"flip", "flip", "mixed", "mapped", "translated", "link", "metadata", "zero", "none"} {
		if _, _, err := get(t, g, Limits{}, "http://"+name+".example.com/"); err == nil {
			t.Errorf("%s was reached", name)
		}
	}
	if len(dialled) != 1 || dialled[0] != public+":80" {
		t.Errorf("dialled %v", dialled)
	}
}
