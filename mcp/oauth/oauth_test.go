package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// The good road: hosts are approved once, PKCE, state, issuer and resource are
// checked by the authorization server of the test, the token is kept and sent.
func TestLogin(t *testing.T) {
	n := newInternet(t)
	p := &person{t: t}
	g, err := n.run(n.login(p))
	if err != nil {
		t.Fatal(err)
	}
	if g.Access != plantedAccess+"-1" || g.Resource != n.server.URL+"/mcp" || g.Issuer != n.as.URL || g.Client.ID != "client-1" {
		t.Errorf("%+v", g)
	}
	if fmt.Sprint(p.approved) != "["+n.as.URL+"]" || fmt.Sprint(p.told) != "["+n.server.URL+" "+n.as.URL+"]" || len(p.shown) != 1 {
		t.Errorf("approved %v, told %v, shown %v", p.approved, p.told, p.shown)
	}
	noSecret(t, fmt.Sprint(g)+strings.Join(p.said, " "))
	l := n.login(&person{t: t})
	l.Known, l.Approve = g.Hosts, nil // what was approved is not asked about again
	if _, err := n.run(l); err != nil {
		t.Error(err)
	}
}

// The server's own well-known place is looked at where its challenge names none,
// and a client that the person wrote down is not registered.
func TestLoginWithoutAChallenge(t *testing.T) {
	n := newInternet(t)
	n.header = func(http.ResponseWriter) {}
	l := n.login(&person{t: t})
	l.Config.ClientID, l.Config.Scopes = "mine", []string{"a", "b"}
	g, err := n.run(l)
	if err != nil || g.Client.ID != "mine" || n.requests("/register") != 0 {
		t.Errorf("%+v, %v", g.Client, err)
	}
}

// A redirect address that is pasted counts as one that the browser brings.
func TestLoginByPasting(t *testing.T) {
	n := newInternet(t)
	pasted := make(chan string, 3)
	p := &person{t: t, open: func(address string) {
		u, _ := url.Parse(address)
		n.mu.Lock()
		n.challenges[plantedCode], n.redirects[plantedCode] = u.Query().Get("code_challenge"), u.Query().Get("redirect_uri")
		n.mu.Unlock()
		back := url.Values{"code": {plantedCode}, "state": {u.Query().Get("state")}, "iss": {n.as.URL}}.Encode()
		pasted <- "http://127.0.0.1:1/callback?" + back
		pasted <- u.Query().Get("redirect_uri") + "?" + strings.Replace(back, "state=", "state=x", 1)
		pasted <- " " + u.Query().Get("redirect_uri") + "?" + back + "\n"
	}}
	l := n.login(p)
	l.Pasted = pasted
	if _, err := n.run(l); err != nil {
		t.Fatal(err)
	}
	if len(p.said) < 3 { // two that were none, beside the progress
		t.Errorf("%q", p.said)
	}
	noSecret(t, strings.Join(p.said, " "))
}

func jwt(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".sig-PLANTED"
}

// Hostile servers and authorization servers: each ends in an error that says
// what is wrong, before a token was taken.
func TestHostileLogins(t *testing.T) {
	set := func(key string, v any) func(map[string]any) {
		return func(m map[string]any) { m[key] = v }
	}
	endless := func(w http.ResponseWriter, q *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"x":"`))
		for range 1 << 10 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				break
			}
		}
		return true
	}
	for name, c := range map[string]struct {
		change func(n *internet, l *Login)
		want   string
		tokens int // requests of tokens that were made
	}{
		"metadata of another resource": {func(n *internet, _ *Login) { n.resource = set("resource", "https://bank.example.org/mcp") }, "another resource", 0},
		"metadata of a sibling":        {func(n *internet, _ *Login) { n.resource = set("resource", n.server.URL+"/mc") }, "another resource", 0},
		"no resource":                  {func(n *internet, _ *Login) { n.resource = set("resource", "") }, "another resource", 0},
		"metadata on another host":     {func(n *internet, _ *Login) { n.header = challengeTo(n.as.URL + "/prm") }, "another host", 0},
		"metadata behind javascript":   {func(n *internet, _ *Login) { n.header = challengeTo("javascript:alert(1)") }, "no plain address", 0},
		"no authorization server":      {func(n *internet, _ *Login) { n.resource = set("authorization_servers", []string{}) }, "no authorization server", 0},
		"issuer over http elsewhere": {func(n *internet, _ *Login) {
			n.resource = set("authorization_servers", []string{"http://as.example.org"})
		}, "only https", 0},
		"issuer is link-local": {func(n *internet, _ *Login) {
			n.resource = set("authorization_servers", []string{"https://169.254.169.254"})
		}, "metadata service", 0},
		"issuer is a file": {func(n *internet, _ *Login) { n.resource = set("authorization_servers", []string{"file:///etc/passwd"}) }, "no plain address", 0},
		"issuer with a user": {func(n *internet, _ *Login) {
			n.resource = set("authorization_servers", []string{"https://a@b.example.org"})
		}, "no plain address", 0},
		"issuer with a query":        {func(n *internet, _ *Login) { n.resource = set("authorization_servers", []string{n.as.URL + "?x=1"}) }, "query", 0},
		"issuer is not the person's": {func(_ *internet, l *Login) { l.Config.Issuer = "https://sso.example.org" }, "does not name the issuer", 0},
		"issuer says it is another":  {func(n *internet, _ *Login) { n.issuer = set("issuer", "https://login.example.org") }, "another issuer", 0},
		"issuer with a slash more":   {func(n *internet, _ *Login) { n.issuer = set("issuer", n.as.URL+"/") }, "another issuer", 0},
		"no PKCE":                    {func(n *internet, _ *Login) { n.issuer = set("code_challenge_methods_supported", []string{}) }, "PKCE", 0},
		"plain PKCE":                 {func(n *internet, _ *Login) { n.issuer = set("code_challenge_methods_supported", []string{"plain"}) }, "PKCE", 0},
		"javascript for the browser": {func(n *internet, _ *Login) {
			n.issuer = set("authorization_endpoint", "javascript:alert(document.cookie)")
		}, "authorization endpoint", 0},
		"data for the browser":             {func(n *internet, _ *Login) { n.issuer = set("authorization_endpoint", "data:text/html,x") }, "authorization endpoint", 0},
		"an address with an escape":        {func(n *internet, _ *Login) { n.issuer = set("authorization_endpoint", "https://as.example.org/\u202e") }, "authorization endpoint", 0},
		"the browser in a private network": {func(n *internet, _ *Login) { n.issuer = set("authorization_endpoint", "https://192.168.0.1/reboot") }, "nobody named it", 0},
		"tokens at the metadata service":   {func(n *internet, _ *Login) { n.issuer = set("token_endpoint", "http://169.254.169.254/token") }, "token endpoint", 0},
		"tokens over http elsewhere":       {func(n *internet, _ *Login) { n.issuer = set("token_endpoint", "http://as.example.org/token") }, "only https", 0},
		"tokens in a private network":      {func(n *internet, _ *Login) { n.issuer = set("token_endpoint", "https://10.0.0.1/token") }, "nobody named it", 0},
		"registration in a private net":    {func(n *internet, _ *Login) { n.issuer = set("registration_endpoint", "https://192.168.1.1/r") }, "nobody named it", 0},
		"registration is link-local":       {func(n *internet, _ *Login) { n.issuer = set("registration_endpoint", "https://[fe80::1]/r") }, "registration endpoint", 0},
		"no registration":                  {func(n *internet, _ *Login) { n.issuer = set("registration_endpoint", "") }, "registers no clients", 0},
		"registration names a line break":  {func(n *internet, _ *Login) { n.register = registers(`{"client_id":"a\r\nX: y"}`) }, "names no client", 0},
		"registration wants a signature": {func(n *internet, _ *Login) {
			n.register = registers(`{"client_id":"a","token_endpoint_auth_method":"private_key_jwt"}`)
		}, "not known here", 0},
		"metadata without end":   {func(n *internet, _ *Login) { n.raw = endless }, "larger than allowed", 0},
		"metadata is a redirect": {func(n *internet, _ *Login) { n.raw = redirects }, "status 307", 0},
		"metadata is no JSON":    {func(n *internet, _ *Login) { n.raw = writes("<html>") }, "not JSON", 0},
		"the browser is refused": {func(n *internet, _ *Login) {
			n.back = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }
		}, "access_denied", 0},
		"a refusal with a trick": {func(n *internet, _ *Login) {
			n.back = func(q url.Values) { q.Del("code"); q.Set("error", "\x1b[2J run rm") }
		}, "an error of its own", 0},
		"a token of another audience": {func(n *internet, _ *Login) {
			n.token = with("access_token", jwt(`{"aud":"https://graph.example.org/"}`))
		}, "another audience", 1},
		"a token of a sibling":       {func(n *internet, _ *Login) { n.token = with("access_token", jwt(`{"aud":["`+n.server.URL+`/other"]}`)) }, "another audience", 1},
		"a token of an odd audience": {func(n *internet, _ *Login) { n.token = with("access_token", jwt(`{"aud":{"x":1}}`)) }, "another audience", 1},
		"a token that is none":       {func(n *internet, _ *Login) { n.token = with("access_token", "a\r\nX-Evil: PLANTED") }, "holds no token", 1},
		"a token of megabytes":       {func(n *internet, _ *Login) { n.token = with("access_token", strings.Repeat("x", 1<<17)) }, "holds no token", 1},
		"a token of another kind":    {func(n *internet, _ *Login) { n.token = with("token_type", "mac") }, "no bearer token", 1},
		"a token that is an error":   {func(n *internet, _ *Login) { n.token = with("error", "PLANTED") }, "an error of its own", 1},
		"a token endpoint that redirects": {func(n *internet, _ *Login) {
			n.token = func(w http.ResponseWriter, _ map[string]any) bool { return redirects(w, nil) }
		}, "status 307", 1},
		"tokens without end": {func(n *internet, _ *Login) {
			n.token = func(w http.ResponseWriter, _ map[string]any) bool { return endless(w, nil) }
		}, "larger than allowed", 1},
		"the person says no": {func(_ *internet, l *Login) {
			l.Approve = func(context.Context, string, string) error { return errors.New("the person does not want that") }
		}, "does not want", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newInternet(t)
			l := n.login(&person{t: t})
			c.change(n, l)
			g, err := n.run(l)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if g.Access != "" || n.requests("/token") != c.tokens {
				t.Errorf("%d requests of tokens, the grant %+v", n.requests("/token"), g)
			}
		})
	}
}

func challengeTo(address string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+address+`"`)
	}
}

func with(key string, v any) func(http.ResponseWriter, map[string]any) bool {
	return func(_ http.ResponseWriter, m map[string]any) bool { m[key] = v; return false }
}

func registers(text string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool { _, _ = w.Write([]byte(text)); return true }
}

func writes(text string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(text)); return true }
}

func redirects(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Location", "http://127.0.0.1:1/")
	w.WriteHeader(http.StatusTemporaryRedirect)
	return true
}

// A server elsewhere leads to nothing on this machine or in its network.
func TestAServerElsewhereLeadsToNoLocalAddress(t *testing.T) {
	c := Config{Server: "https://mcp.example.org/mcp"}
	for _, raw := range []string{
		"http://127.0.0.1:631/", "https://127.0.0.1/", "https://localhost/", "http://localhost:8080/", "https://[::1]/", "https://10.1.2.3/",
		"https://192.168.0.1/", "https://[fd00::1]/", "https://100.64.0.1/", "https://169.254.1.1/", "https://[fe80::1]/", "http://as.example.org/", "https://0.0.0.0/",
	} {
		if _, err := c.door(raw, netguard.Options{}); err == nil {
			t.Errorf("%s is reached", raw)
		}
	}
	c.Issuer = "https://10.1.2.3/" // the person's own word
	if _, err := c.door("https://10.1.2.3/token", netguard.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := c.door("https://as.example.org/", netguard.Options{}); err != nil {
		t.Error(err)
	}
}

// What anybody on this machine sends to the landing ends no login and takes no code.
func TestTheLandingTakesOneAnswer(t *testing.T) {
	n := newInternet(t)
	var statuses []int
	var pages string
	p := &person{t: t}
	p.open = func(address string) {
		u, _ := url.Parse(address)
		at, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
		n.mu.Lock()
		n.challenges[plantedCode], n.redirects[plantedCode] = u.Query().Get("code_challenge"), at
		n.mu.Unlock()
		good := url.Values{"code": {plantedCode}, "state": {state}, "iss": {n.as.URL}}
		change := func(f func(url.Values)) string {
			q, _ := url.ParseQuery(good.Encode())
			f(q)
			return at + "?" + q.Encode()
		}
		send := func(method, to, host string) {
			q, err := http.NewRequest(method, to, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if host != "" {
				q.Host = host
			}
			r, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Error(err)
				return
			}
			b := make([]byte, 4096)
			k, _ := r.Body.Read(b)
			pages += string(b[:k])
			_ = r.Body.Close()
			statuses = append(statuses, r.StatusCode)
		}
		send("GET", change(func(q url.Values) { q.Set("state", "guess") }), "")
		send("GET", change(func(q url.Values) { q.Del("state") }), "")
		send("GET", change(func(q url.Values) { q.Set("iss", "https://other.example.org") }), "")
		send("GET", change(func(q url.Values) { q.Del("iss") }), "")
		send("GET", change(func(q url.Values) { q.Del("code") }), "")
		send("GET", change(func(q url.Values) { q.Add("code", "<script>two</script>") }), "")
		send("GET", change(func(q url.Values) { q.Set("code", strings.Repeat("y", maxToken+1)) })[:8000], "")
		send("POST", change(func(url.Values) {}), "")
		send("GET", change(func(url.Values) {}), "evil.example.org")
		send("GET", strings.Replace(change(func(url.Values) {}), "/callback", "/other", 1), "")
		send("GET", change(func(url.Values) {}), "")
		send("GET", change(func(url.Values) {}), "") // taken already, or closed
	}
	if _, err := n.run(n.login(p)); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(statuses) != "[400 400 400 400 400 400 400 404 404 404 200 400]" {
		t.Errorf("%v", statuses)
	}
	if strings.Contains(pages, "script") || strings.Contains(pages, "PLANTED") {
		t.Errorf("a page says back what it was sent: %s", pages)
	}
	if n.requests("/token") != 1 {
		t.Errorf("%d requests of tokens", n.requests("/token"))
	}
}

// The token goes to the server's very address and nowhere else.
func TestTheTokenGoesNowhereElse(t *testing.T) {
	n := newInternet(t)
	k, _ := n.keeper(nil)
	if code, err := n.get(k, n.server.URL+"/mcp"); code != http.StatusOK {
		t.Fatalf("%d, %v", code, err)
	}
	for _, other := range []string{n.server.URL + "/mcp/", n.server.URL + "/mcp?x=1", n.server.URL + "/other", n.as.URL + "/mcp"} {
		if _, err := n.get(k, other); err != nil {
			t.Error(err)
		}
	}
	n.mu.Lock()
	sent := slices.DeleteFunc(slices.Clone(n.bearers), func(s string) bool { return s == "" })
	n.mu.Unlock()
	if len(sent) != 1 {
		t.Errorf("the token was sent %d times", len(sent))
	}
	moved := &Keeper{Server: "x", Name: "mcp.x", Config: Config{Server: n.as.URL + "/mcp"}, Store: k.Store}
	if _, ok, err := moved.Grant(); ok || err == nil {
		t.Error("a grant counts for another address")
	}
	if code, err := n.get(moved, n.as.URL+"/mcp"); err == nil {
		t.Errorf("%d: it is asked with another server's grant", code)
	}
}

// A token that is refused is renewed once, the refresh token is used once, and
// what then fails says what to do.
func TestRenewal(t *testing.T) {
	n := newInternet(t)
	k, store := n.keeper(nil)
	n.refuseToken = plantedAccess + "-1"
	var learnt []string
	k.Learn = func(s ...string) { learnt = append(learnt, s...) }
	var wg sync.WaitGroup
	for range 8 { // at once: one renewal
		wg.Go(func() {
			if code, err := n.get(k, n.server.URL+"/mcp"); code != http.StatusOK {
				t.Errorf("%d, %v", code, err)
			}
		})
	}
	wg.Wait()
	if got := n.requests("/token"); got != 2 || !slices.Contains(learnt, plantedAccess+"-2") {
		t.Errorf("%d requests of tokens, learnt %v", got, learnt)
	}
	// Another process has renewed it: its token is taken.
	other := &Keeper{Server: "issues", Name: "mcp.x", Config: k.Config, Store: store}
	n.mu.Lock()
	n.refuseToken = plantedAccess + "-2"
	n.mu.Unlock()
	if code, err := n.get(other, n.server.URL+"/mcp"); code != http.StatusOK {
		t.Fatalf("%d, %v", code, err)
	}
	if code, err := n.get(k, n.server.URL+"/mcp"); code != http.StatusOK || n.requests("/token") != 3 {
		t.Errorf("%d, %v, %d requests of tokens", code, err, n.requests("/token"))
	}
}

// What ends a login says so, and a replayed refresh token is thrown away.
func TestRenewalsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		change func(n *internet, g *Grant)
		want   string
		kept   bool
	}{
		"a refresh token that was spent": {func(n *internet, g *Grant) { n.spent[g.Refresh] = true }, "has ended the login", false},
		"no refresh token":               {func(_ *internet, g *Grant) { g.Refresh = "" }, "has ended", true},
		"another audience":               {func(n *internet, _ *Grant) { n.token = with("access_token", jwt(`{"aud":"https://x.example.org"}`)) }, "another audience", true},
		"a host that nobody approved":    {func(_ *internet, g *Grant) { g.Hosts = nil }, "nobody approved", true},
		"an endpoint that was moved":     {func(n *internet, g *Grant) { g.Token = "http://169.254.169.254/t" }, "only https", true},
		"it does not help":               {func(n *internet, _ *Grant) { n.token = with("access_token", plantedAccess+"-1") }, "does not take the login any more", true},
		"the server is broken":           {func(n *internet, _ *Grant) { n.raw = redirects }, "status 307", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newInternet(t)
			k, store := n.keeper(func(g *Grant) { c.change(n, g) })
			n.refuseToken = plantedAccess + "-1"
			_, err := n.get(k, n.server.URL+"/mcp")
			var needed *NeededError
			if !errors.As(err, &needed) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "tera-pilot mcp login issues") {
				t.Errorf("%v", err)
			}
			if text, _ := store.Secret("mcp.x"); (text != "") != c.kept {
				t.Errorf("kept: %v", text != "")
			}
		})
	}
}

// A token that is about to end is renewed before it is sent; one that must not
// leave unrecorded is not.
func TestEarlyRenewal(t *testing.T) {
	n := newInternet(t)
	k, _ := n.keeper(func(g *Grant) { g.Expires = time.Now().Add(time.Second) })
	told := ""
	ctx := Telling(t.Context(), func(host string) error { told = host; return errors.New("the log is full") })
	if _, err := k.token(ctx); err == nil || n.requests("/token") != 1 || "http://"+told != n.as.URL {
		t.Errorf("%v, told %q", err, told)
	}
	if code, err := n.get(k, n.server.URL+"/mcp"); code != http.StatusOK || n.requests("/token") != 2 {
		t.Errorf("%d, %v", code, err)
	}
}

// A server that wants more, or a login, says so with the command for it.
func TestStepUp(t *testing.T) {
	n := newInternet(t)
	k, _ := n.keeper(nil)
	n.forbids = "issues:write $(id) -x a`b ;id"
	var needed *NeededError
	if _, err := n.get(k, n.server.URL+"/mcp"); !errors.As(err, &needed) || !strings.HasSuffix(err.Error(), "`tera-pilot mcp login issues --scope issues:write`") {
		t.Errorf("%v", err)
	}
	p := &person{t: t}
	l := n.login(p)
	l.Wider = []string{"issues:write"}
	if g, err := n.run(l); err != nil || !strings.Contains(strings.Join(p.shown, ""), "scope=read+issues%3Awrite") {
		t.Errorf("%+v, %v", g, err)
	}
	empty := &Keeper{Server: "issues", Name: "mcp.y", Config: k.Config, Store: &memory{}}
	if _, err := n.get(empty, n.server.URL+"/mcp"); err == nil || !strings.Contains(err.Error(), "wants a login: `tera-pilot mcp login issues`") {
		t.Errorf("%v", err)
	}
}

// Forgetting tells the authorization server, and forgets also what is damaged.
func TestForget(t *testing.T) {
	n := newInternet(t)
	k, store := n.keeper(nil)
	had, told, err := k.Forget(t.Context())
	if !had || !told || err != nil || n.requests("/revoke") != 1 {
		t.Errorf("%v %v %v", had, told, err)
	}
	store.m["mcp.x"] = "{"
	if _, err := n.get(k, n.server.URL+"/mcp"); err == nil {
		t.Error("a damaged grant is read past")
	}
	if had, told, err := k.Forget(t.Context()); !had || told || err != nil || store.m["mcp.x"] != "" {
		t.Errorf("%v %v %v", had, told, err)
	}
}

func TestChallenges(t *testing.T) {
	for header, want := range map[string]challenge{
		`Bearer resource_metadata="https://a/b", scope="x y"`:                {"https://a/b", "x y", ""},
		`Basic realm="Bearer x", Bearer error="insufficient_scope", scope=a`: {"", "a", "insufficient_scope"},
		`bearer RESOURCE_METADATA = "https://a/\"b"`:                         {`https://a/"b`, "", ""},
		`Bearer`: {}, `Bearerish x=y`: {}, `Bearer x="unclosed`: {}, ``: {}, `Digest a=b`: {},
		`Bearer a=b, Digest scope=c`: {},
	} {
		if got := readChallenge([]string{header}); got != want {
			t.Errorf("%s: %+v", header, got)
		}
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://a/b", scope="x y"`)
	f.Fuzz(func(t *testing.T, header string) {
		c := readChallenge([]string{header})
		for _, s := range scopes(c.scope) {
			if strings.ContainsAny(s, " \"'\\`\n\x1b$;|&<>(){}*?~#!") || s[0] == '-' { // it is shown in a command
				t.Errorf("the scope %q", s)
			}
		}
	})
}

// The browser hears how the login ended, though nobody waits for it any more.
func TestTheBrowserHearsTheEnd(t *testing.T) {
	for range 20 {
		l, err := land("s")
		if err != nil {
			t.Fatal(err)
		}
		l.open(issuer{Issuer: "https://as.example.org"})
		page := make(chan string, 1)
		go func() {
			r, err := http.Get(l.uri + "?state=s&error=access_denied")
			if err != nil {
				page <- err.Error()
				return
			}
			defer r.Body.Close()
			text, err := io.ReadAll(r.Body)
			page <- fmt.Sprint(string(text), err)
		}()
		if _, err := l.wait(t.Context(), nil, nil); err == nil {
			t.Error("a refusal is no error")
		}
		l.close()
		if text := <-page; !strings.Contains(text, "did not succeed") {
			t.Fatalf("the browser has %q", text)
		}
	}
}
