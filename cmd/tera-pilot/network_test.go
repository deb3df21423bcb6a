package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

const asProgram = "program"

// Where the program under test finds its internet: two servers of the test.
const (
	plainServer  = "TERA_PILOT_TEST_HTTP"
	secureServer = "TERA_PILOT_TEST_HTTPS"
)

// names of that internet; each leads to the same two servers.
var smallNames = map[string]string{"good.example.org": "93.184.215.14", "other.example.org": "93.184.215.15"}

type smallResolver struct{}

func (smallResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := smallNames[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func smallInternet() netguard.Options {
	return netguard.Options{
		Resolver:   smallResolver{},
		Interfaces: func() ([]netip.Addr, error) { return nil, nil },
		Dial: func(_ context.Context, a netip.AddrPort) (net.Conn, error) {
			if a.Port() == 80 {
				return net.Dial("tcp", os.Getenv(plainServer))
			}
			return net.Dial("tcp", os.Getenv(secureServer))
		},
	}
}

// A netRig is a home, a repository and the internet of the test.
type netRig struct {
	t                 *testing.T
	home, state, repo string
	env               []string
	seen              chan string // "host path" of what reached a server
}

func newNetRig(t *testing.T) *netRig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &netRig{t: t, home: filepath.Join(base, "home"), seen: make(chan string, 100)}
	r.state, r.repo = filepath.Join(r.home, ".tera_pilot"), filepath.Join(r.home, "repo")
	for _, dir := range []string{r.state, r.repo} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.seen <- req.Host + " " + req.URL.Path
		if req.URL.Path == "/away" {
			http.Redirect(w, req, "http://other.example.org/landed", http.StatusFound)
			return
		}
		fmt.Fprintf(w, "hello from %s", req.Host)
	})
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	r.env = append(os.Environ(), "HOME="+r.home, "TERA_PILOT_HOME=", plainServer+"="+plain.Listener.Addr().String(), secureServer+"="+secure.Listener.Addr().String())
	r.write(r.repo, "net.py", netScript)
	return r
}

// netScript does one thing of its first argument, and says how it went.
const netScript = `
import base64, os, socket, ssl, sys, urllib.parse, urllib.request
what = sys.argv[1]
def get(url):
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    o = urllib.request.build_opener(urllib.request.ProxyHandler(), urllib.request.HTTPSHandler(context=c))
    return o.open(url, timeout=20).read().decode()
def tls(host, name):
    p = urllib.parse.urlparse(os.environ["https_proxy"])
    s = socket.create_connection((p.hostname, p.port))
    auth = base64.b64encode(("%s:%s" % (p.username, p.password)).encode()).decode()
    s.sendall(("CONNECT %s:443 HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n" % (host, host, auth)).encode())
    s.recv(4096)
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    c.wrap_socket(s, server_hostname=name)
    return "FRONTED"
try:
    print(get(what) if what.startswith("http") else tls(*what.split(",")))
except Exception as e:
    print("failed:", e); sys.exit(1)
`

func (r *netRig) write(dir, name, content string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// program runs the program in the repository.
func (r *netRig) program(args ...string) (code int, stdout, stderr string) {
	r.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{asProgram}, args...)...)
	cmd.Dir, cmd.Env = r.repo, r.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// A netRun is what run --json said.
type netRun struct {
	code   int
	egress []map[string]any
	bodies []string
	denied []struct {
		Effect     string  `json:"effect"`
		WouldAllow *string `json:"would_allow"`
	}
}

// act lets the scripted model make one command, and reads what came of it.
func (r *netRig) act(command string, hosts ...string) netRun {
	r.t.Helper()
	args := map[string]any{"command": command}
	if len(hosts) > 0 {
		args["hosts"] = hosts
	}
	b, err := json.Marshal(map[string]any{"steps": []any{
		map[string]any{"say": "I reach out.", "calls": []any{map[string]any{"tool": "execute_command", "args": args}}},
		map[string]any{"say": "Done."},
	}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(r.home, "turn.json", string(b))
	code, stdout, stderr := r.program("run", "--json", "--no-confirm", "--provider", "scripted", "--script", filepath.Join(r.home, "turn.json"), "go")
	out := netRun{code: code}
	dec := json.NewDecoder(strings.NewReader(stdout))
	for {
		var e struct {
			Type   string          `json:"type"`
			Body   string          `json:"body"`
			Denied json.RawMessage `json:"denied"`
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			r.t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			r.t.Fatal(err)
		}
		switch e.Type {
		case "egress":
			m := map[string]any{}
			_ = json.Unmarshal(raw, &m)
			out.egress = append(out.egress, m)
		case "call.result":
			out.bodies = append(out.bodies, e.Body)
		case "result":
			if err := json.Unmarshal(e.Denied, &out.denied); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	if len(out.bodies) == 0 {
		r.t.Fatalf("no result: exit %d\n%s\n%s", code, stdout, stderr)
	}
	return out
}

// reached empties what reached the servers.
func (r *netRig) reached() []string {
	var out []string
	for {
		select {
		case s := <-r.seen:
			out = append(out, s)
		default:
			return out
		}
	}
}

func (n netRun) has(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(n.bodies[0], text) {
		t.Errorf("%q is not in %s", text, n.bodies[0])
	}
}

// one finds the network event of a host with its status.
func (n netRun) one(t *testing.T, host, status string) {
	t.Helper()
	for _, e := range n.egress {
		if e["host"] == host && e["status"] == status && e["door"] == "command" && e["call"] != "" {
			return
		}
	}
	t.Errorf("no event of %s %s: %v", host, status, n.egress)
}

// TestCommandReachesTheNetworkByGrantOnly plays the whole road: refused with
// the rule that would allow it, then that rule, then what it covers and what
// it does not.
func TestCommandReachesTheNetworkByGrantOnly(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	r := newNetRig(t)
	refused := r.act("python3 net.py https://good.example.org/a", "good.example.org")
	if refused.code != exitDenied || len(refused.denied) != 1 || refused.denied[0].WouldAllow == nil {
		t.Fatalf("headless: %+v", refused)
	}
	rule := *refused.denied[0].WouldAllow
	if !strings.Contains(rule, `"good.example.org"`) || !strings.Contains(rule, "CONNECT") || strings.Contains(rule, "[[rule]]") {
		t.Errorf("at this level the host is all that is missing, and the rule is\n%s", rule)
	}
	if got := r.reached(); got != nil {
		t.Fatalf("reached %v", got)
	}
	r.write(r.state, "policy.toml", rule)

	t.Run("granted", func(t *testing.T) {
		n := r.act("python3 net.py https://good.example.org/a", "good.example.org")
		n.has(t, "hello from good.example.org")
		n.one(t, "good.example.org:443", "ok")
		if n.code != 0 || len(r.reached()) != 1 {
			t.Errorf("exit %d: %s", n.code, n.bodies)
		}
		if n.egress[0]["received"].(float64) == 0 || n.egress[0]["address"] == "" {
			t.Errorf("%v", n.egress)
		}
	})
	t.Run("without hosts", func(t *testing.T) {
		n := r.act("python3 net.py https://good.example.org/a")
		n.has(t, "failed:")
		if len(n.egress) != 0 || len(r.reached()) != 0 {
			t.Errorf("%+v", n)
		}
	})
	t.Run("another host", func(t *testing.T) {
		n := r.act("python3 net.py https://other.example.org/b", "good.example.org")
		n.has(t, `"hosts": ["other.example.org"]`)
		n.one(t, "other.example.org:443", "blocked")
		if got := r.reached(); got != nil {
			t.Errorf("reached %v", got)
		}
	})
	t.Run("a redirect", func(t *testing.T) {
		n := r.act("python3 net.py http://good.example.org/away", "good.example.org")
		n.one(t, "good.example.org:80", "ok")
		n.one(t, "other.example.org:80", "blocked")
		if got := r.reached(); len(got) != 1 || got[0] != "good.example.org /away" {
			t.Errorf("reached %v", got)
		}
	})
	t.Run("another name in TLS", func(t *testing.T) {
		n := r.act("python3 net.py good.example.org,other.example.org", "good.example.org")
		n.one(t, "good.example.org:443", "blocked")
		if strings.Contains(n.bodies[0], "FRONTED") || len(r.reached()) != 0 {
			t.Errorf("%+v", n)
		}
	})
	t.Run("a second host", func(t *testing.T) {
		n := r.act("true", "good.example.org", "other.example.org")
		if n.code != exitDenied || len(n.denied) != 1 || n.denied[0].WouldAllow == nil || strings.Contains(*n.denied[0].WouldAllow, "good.example") {
			t.Errorf("%+v", n)
		}
	})
	t.Run("names that are none", func(t *testing.T) {
		for _, h := range []string{"*.example.org", "127.0.0.1", "localhost", "http://good.example.org/", "[::1]:80", "169.254.169.254"} {
			if n := r.act("true", h); n.code == 0 && !strings.Contains(n.bodies[0], "host") {
				t.Errorf("%s: %+v", h, n)
			}
		}
	})
	t.Run("evidence", func(t *testing.T) {
		_, out, _ := r.program("audit", "show", "--category", "web", "--json")
		for _, want := range []string{"good.example.org:443", "other.example.org:443", "GET", "blocked"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in the log:\n%s", want, out)
			}
		}
		if code, out, _ := r.program("audit", "verify"); code != 0 {
			t.Errorf("the log does not verify: %s", out)
		}
	})
}
