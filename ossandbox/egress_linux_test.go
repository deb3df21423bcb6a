package ossandbox

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// An internet is a few names and one server behind them, all of it here.
type internet struct {
	mu      sync.Mutex
	names   map[string]string
	asked   []string
	dialled []string
	plain   *httptest.Server
	secure  *httptest.Server
	events  []Request
	mute    error // what tell answers
}

func newInternet(t *testing.T) *internet {
	n := &internet{names: map[string]string{
		"good.example.org": "93.184.215.14", "other.example.org": "93.184.215.14", "deep.cdn.example.org": "93.184.215.15",
		"inside.example.org": "10.0.0.1", "metadata.example.org": "169.254.169.254", "loop.example.org": "127.0.0.1", "mapped.example.org": "::ffff:127.0.0.1",
	}}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %d %s", r.Method, r.Host, r.URL, len(b), r.Header.Get("Proxy-Authorization"))
	})
	n.plain, n.secure = httptest.NewServer(answer), httptest.NewTLSServer(answer)
	t.Cleanup(n.plain.Close)
	t.Cleanup(n.secure.Close)
	return n
}

func (n *internet) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, strings.TrimSuffix(host, "."))
	if a, ok := n.names[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (n *internet) dial(_ context.Context, a netip.AddrPort) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, a.String())
	n.mu.Unlock()
	to := n.secure.Listener.Addr().String()
	if a.Port() == 80 {
		to = n.plain.Listener.Addr().String()
	}
	return net.Dial("tcp", to)
}

func (n *internet) options() netguard.Options {
	return netguard.Options{Resolver: n, Dial: n.dial, Interfaces: func() ([]netip.Addr, error) { return nil, nil }}
}

func (n *internet) tell(r Request) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, r)
	return n.mute
}

func (n *internet) last() Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.events) == 0 {
		return Request{}
	}
	return n.events[len(n.events)-1]
}

// serve is a proxy on a loopback port.
func (n *internet) serve(t *testing.T, hosts ...string) (*egress, string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEgress(Net(hosts...), n.options(), l, n.tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return e, l.Addr().String()
}

// ask sends one raw request with the token and returns the answer.
func ask(t *testing.T, e *egress, addr, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	token := base64.StdEncoding.EncodeToString([]byte("x:" + e.token))
	io.WriteString(c, strings.ReplaceAll(request, "TOKEN", "Proxy-Authorization: Basic "+token))
	b, _ := io.ReadAll(c)
	return string(b)
}

func TestProxyForwardsWhatIsAllowed(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org", "*.cdn.example.org")
	for request, want := range map[string]string{
		"GET http://good.example.org/a?b=c HTTP/1.1\r\nHost: evil.example.net\r\nTOKEN\r\nConnection: close\r\n\r\n":       "GET good.example.org /a?b=c 0 ",
		"GET http://GOOD.example.org./ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                          "GET good.example.org / 0 ",
		"GET http://deep.cdn.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                       "GET deep.cdn.example.org / 0 ",
		"GET http://cdn.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                            "403 Forbidden",
		"GET http://other.example.org/ HTTP/1.1\r\nHost: good.example.org\r\nTOKEN\r\nConnection: close\r\n\r\n":           "403 Forbidden",
		"GET http://xgood.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                          "403 Forbidden",
		"GET http://good.example.org:8080/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                      "403 Forbidden",
		"POST http://good.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\nContent-Length: 0\r\n\r\n":     "405 Method",
		"GET http://good.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc":   "413 Request",
		"GET http://good.example.org/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                                    "407 Proxy",
		"GET http://good.example.org/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic eDp5\r\nConnection: close\r\n\r\n": "407 Proxy",
		"GET http://good.example.org@evil.example.net/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":          "403 Forbidden",
		"OPTIONS * HTTP/1.1\r\nHost: good.example.org\r\nTOKEN\r\nConnection: close\r\n\r\n":                               "400 Bad",
		"OPTIONS * HTTP/1.1\r\nHost: good.example.org\r\nConnection: close\r\n\r\n":                                        "407 Proxy",
		"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                                  "400 Bad",
		"GET http://2130706433/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                                 "400 Bad",
		"GET http://0x7f.1/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                                     "400 Bad",
		"GET http://[::1]/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                                      "400 Bad",
		"GET http://localhost/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n":                                  "400 Bad",
		"GET / HTTP/1.1\r\nHost: good.example.org\r\nTOKEN\r\nConnection: close\r\n\r\n":                                   "400 Bad",
		"CONNECT other.example.org:443 HTTP/1.1\r\nHost: good.example.org:443\r\nTOKEN\r\n\r\n":                            "403 Forbidden",
		"CONNECT good.example.org:22 HTTP/1.1\r\nHost: x\r\nTOKEN\r\n\r\n":                                                 "403 Forbidden",
	} {
		if got := ask(t, e, addr, request); !strings.Contains(got, want) {
			t.Errorf("%q\ngot %q\nwant %q", request, got, want)
		}
	}
	for _, d := range n.dialled {
		if !strings.HasPrefix(d, "93.184.215.") {
			t.Errorf("dialled %s", d)
		}
	}
}

func TestProxyRefusesForbiddenAddresses(t *testing.T) {
	n := newInternet(t)
	hosts := []string{"inside.example.org", "metadata.example.org", "loop.example.org", "mapped.example.org", "missing.example.org"}
	e, addr := n.serve(t, hosts...)
	for _, h := range hosts {
		got := ask(t, e, addr, "GET http://"+h+"/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n")
		if !strings.Contains(got, "502 Bad Gateway") || n.last().Allowed {
			t.Errorf("%s: %q %+v", h, got, n.last())
		}
	}
	if len(n.dialled) > 0 {
		t.Errorf("dialled %v", n.dialled)
	}
}

// through makes a TLS connection by CONNECT to host, naming name in TLS.
func through(t *testing.T, e *egress, addr, host, name string) (*tls.Conn, error) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\nProxy-Authorization: Basic %s\r\n\r\n", host, host, base64.StdEncoding.EncodeToString([]byte("x:"+e.token)))
	res, err := http.ReadResponse(bufio.NewReader(oneByte{c}), nil)
	if err != nil || res.StatusCode != 200 {
		return nil, fmt.Errorf("CONNECT: %v %v", res, err)
	}
	tc := tls.Client(c, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	return tc, tc.Handshake()
}

// oneByte keeps the reader of a response from taking what follows it.
type oneByte struct{ net.Conn }

func (o oneByte) Read(p []byte) (int, error) { return o.Conn.Read(p[:1]) }

func TestProxyTunnelsOnlyTheNamedHost(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org")
	c, err := through(t, e, addr, "good.example.org", "good.example.org")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET /x HTTP/1.1\r\nHost: good.example.org\r\nConnection: close\r\n\r\n")
	b, _ := io.ReadAll(c)
	has(t, string(b), "GET good.example.org /x")
	before := len(n.dialled)
	for _, name := range []string{"other.example.org", "", "good.example.org.evil.net"} {
		if _, err := through(t, e, addr, "good.example.org", name); err == nil {
			t.Errorf("the TLS name %q was carried", name)
		}
	}
	if len(n.dialled) != before {
		t.Errorf("dialled %v", n.dialled[before:])
	}
	has(t, n.last().Reason, "not the host that was asked for")
}

func TestProxyTunnelsNothingButTLS(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org")
	for _, words := range []string{"SSH-2.0-x\r\n", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x00\x05hello", strings.Repeat("\x16\x03\x01\x40\x00", 40000)} {
		ask(t, e, addr, "CONNECT good.example.org:443 HTTP/1.1\r\nHost: x\r\nTOKEN\r\n\r\n"+words)
		if r := n.last(); r.Allowed || !strings.Contains(r.Reason, "no TLS") {
			t.Errorf("%q: %+v", words[:9], r)
		}
	}
	if len(n.dialled) > 0 {
		t.Errorf("dialled %v", n.dialled)
	}
}

// What cannot be told of does not leave, and each request is told of in full.
func TestProxyTellsBeforeAnythingLeaves(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org")
	plain := "GET http://good.example.org/told HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n"
	has(t, ask(t, e, addr, plain), "/told")
	e.busy.Wait()
	n.mu.Lock()
	first, last := n.events[0], n.events[len(n.events)-1]
	n.mu.Unlock()
	if !first.Allowed || first.Ended || first.Sent != 0 {
		t.Errorf("before: %+v", first)
	}
	if !last.Allowed || !last.Ended || last.Sent == 0 || last.Received == 0 || last.Address == "" {
		t.Errorf("after: %+v", last)
	}
	dialled := len(n.dialled)
	n.mute = errors.New("the log is full")
	has(t, ask(t, e, addr, plain), "could not be recorded")
	if len(n.dialled) != dialled {
		t.Error("it left all the same")
	}
	if c, err := through(t, e, addr, "good.example.org", "good.example.org"); err == nil {
		c.Close()
		t.Error("a tunnel that could not be recorded")
	}
}

// A command cannot fill the log with requests.
func TestProxyCountsRequests(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org")
	e.asked = maxRequests
	request := "GET http://good.example.org/ HTTP/1.1\r\nHost: x\r\nTOKEN\r\nConnection: close\r\n\r\n"
	for range 5 {
		has(t, ask(t, e, addr, request), "429 Too Many")
	}
	if len(n.events) != 1 || len(n.dialled) != 0 {
		t.Errorf("%d told, %v dialled", len(n.events), n.dialled)
	}
}

func TestProxyBoundsWhatIsSent(t *testing.T) {
	n := newInternet(t)
	e, addr := n.serve(t, "good.example.org")
	c, err := through(t, e, addr, "good.example.org", "good.example.org")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: good.example.org\r\nContent-Length: %d\r\n\r\n", 4<<20)
	chunk := make([]byte, 64<<10)
	sent := 0
	for ; sent < 4<<20; sent += len(chunk) {
		if _, err := c.Write(chunk); err != nil {
			break
		}
	}
	b, _ := io.ReadAll(c)
	lacks(t, string(b), "POST good.example.org / 4194304")
	for deadline := time.Now().Add(5 * time.Second); !n.last().Ended && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if r := n.last(); r.Sent < maxUpload || r.Sent > maxUpload+128<<10 {
		t.Errorf("%+v", r)
	}
}

func TestHostLists(t *testing.T) {
	for _, good := range []string{"example.com", "EXAMPLE.com.", "*.example.com", "example.com:8443", "xn--bcher-kva.example.com"} {
		if err := ParseHosts([]string{good}); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "*", "*.com", "*.", "example.com:0", "example.com:99999", "example.com:080", "http://example.com", "example.com/x", "u@example.com",
		"127.0.0.1", "1.2.3.4", "[::1]", "::1", "2130706433", "0x7f.0.0.1", "localhost", "a b.com", "bücher.com", "exa\nmple.com", "exa\x00mple.com", "ex%61mple.com",
	} {
		if err := ParseHosts([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, s := range []string{"example.com", "example.com:443", "*.example.com", "1.2.3.4", "[::1]:80", "a..b", "0x7f.1", "xn--a.com", "EXAMPLE.COM.:80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, port, err := parseHostPort(s, 443)
		if err != nil {
			return
		}
		// One spelling: what was understood is understood again, as itself.
		again, samePort, err := parseHostPort(fmt.Sprintf("%s:%d", host, port), 1)
		if err != nil || again != host || samePort != port {
			t.Errorf("%q is %s:%d, and that is %s:%d %v", s, host, port, again, samePort, err)
		}
		if _, err := netip.ParseAddr(host); err == nil || host != strings.ToLower(host) || strings.ContainsAny(host, ":/@[]% ") {
			t.Errorf("%q is the host %q", s, host)
		}
	})
}

// TestNetProfile runs a command against the internet of the test.
func TestNetProfile(t *testing.T) {
	n := newInternet(t)
	b := newBox(t, func(c *Config) { c.Egress = n.options() })
	script := `
import os, socket, urllib.request
for host in ("good", "other"):
    try: print(urllib.request.urlopen("http://%s.example.org/p" % host, timeout=5).read().decode())
    except Exception as e: print(host, e)
for where in (("93.184.215.14", 80), ("1.1.1.1", 53)):
    try: socket.create_connection(where, 2); print("ESCAPED", where)
    except OSError as e: print("closed")
`
	b.write(b.work+"/get.py", script)
	out, r := b.sh("python3 get.py; getent hosts good.example.org; ls -A ~/.. ; exit 3", func(c *Command) { c.Profile, c.OnRequest = Net("good.example.org"), n.tell })
	has(t, out, "GET good.example.org /p 0 ")
	has(t, out, "other HTTP Error 403: Forbidden\nclosed\nclosed\n")
	if !slices.ContainsFunc(r.Denials, func(d Denial) bool { return strings.Contains(d.String(), "--allow-host other.example.org") }) {
		t.Errorf("%+v", r)
	}
	if r.ExitCode != 3 || len(r.Litter) > 0 {
		t.Errorf("%+v", r)
	}
	out, _ = b.sh("python3 get.py; env | grep -i http_proxy || echo none; ls /run", func(c *Command) { c.Profile = Work() })
	lacks(t, out, "GET good")
	has(t, out, "none\n")
	b.Close()
	if left, _ := filepath.Glob(b.state + "/cache/*/proxies/*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// The relay is no child that a program could find or stop.
func TestRelayIsOutOfReach(t *testing.T) {
	n := newInternet(t)
	b := newBox(t, func(c *Config) { c.Egress = n.options() })
	out, r := b.sh(`python3 -c '
import os
try: print(os.wait())
except ChildProcessError: print("no child")
for p in os.listdir("/proc"):
    if p.isdigit() and open("/proc/%s/cmdline" % p, "rb").read().startswith(b"tera-pilot-relay"):
        for f in "environ", "mem", "maps":
            try: open("/proc/%s/%s" % (p, f), "rb").read(1); print("read", f)
            except OSError: pass
        try: os.kill(int(p), 9); print("killed")
        except PermissionError: print("kept")
import urllib.request
print(urllib.request.urlopen("http://good.example.org/still").read().decode())
'`, func(c *Command) { c.Profile = Net("good.example.org") })
	if r.ExitCode != 0 {
		t.Error(r.ExitCode)
	}
	has(t, out, "no child\n")
	lacks(t, out, "read ")
	if kernelLandlock() >= 6 {
		has(t, out, "kept\n")
		has(t, out, "/still")
	}
}
