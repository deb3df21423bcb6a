package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// planted are texts that must stand in no error and in nothing that is shown.
const (
	plantedAccess  = "access-PLANTED-4f1c"
	plantedRefresh = "refresh-PLANTED-77aa"
	plantedCode    = "code-PLANTED-90ce"
)

// a small internet: an MCP server and an authorization server, each on a port
// of this machine. What a case of a hostile one changes is a field.
type internet struct {
	t           *testing.T
	server, as  *httptest.Server
	mu          sync.Mutex
	asked       []string // "POST /token" and the like, of both
	forms       []url.Values
	bearers     []string // that came to the server
	rotation    int
	spent       map[string]bool // refresh tokens
	registered  map[string]string
	challenges  map[string]string // code to challenge
	redirects   map[string]string // code to redirect address
	expires     int
	refuseToken string // an access token that the server does not take

	header   func(w http.ResponseWriter)                        // of the server's 401; nil: the right one
	resource func(m map[string]any)                             // changes the server's metadata
	issuer   func(m map[string]any)                             // changes the metadata of the authorization server
	back     func(q url.Values)                                 // changes what the browser brings back
	token    func(w http.ResponseWriter, m map[string]any) bool // true: it has answered
	register func(w http.ResponseWriter) bool
	raw      func(w http.ResponseWriter, q *http.Request) bool // sees each request to the authorization server first
	forbids  string                                            // scope that the server wants besides
}

func newInternet(t *testing.T) *internet {
	n := &internet{t: t, spent: map[string]bool{}, registered: map[string]string{}, challenges: map[string]string{}, redirects: map[string]string{}, expires: 3600}
	n.server = httptest.NewServer(http.HandlerFunc(n.atServer))
	n.as = httptest.NewServer(http.HandlerFunc(n.atIssuer))
	t.Cleanup(n.server.Close)
	t.Cleanup(n.as.Close)
	return n
}

func (n *internet) note(q *http.Request) url.Values {
	body, _ := io.ReadAll(io.LimitReader(q.Body, 1<<20))
	form, _ := url.ParseQuery(string(body))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, q.Method+" "+q.URL.Path)
	n.forms = append(n.forms, form)
	return form
}

func (n *internet) requests(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := 0
	for _, a := range n.asked {
		if strings.Contains(a, what) {
			count++
		}
	}
	return count
}

func (n *internet) atServer(w http.ResponseWriter, q *http.Request) {
	n.note(q)
	if strings.HasPrefix(q.URL.Path, "/.well-known/") {
		if q.URL.Path != "/.well-known/oauth-protected-resource/mcp" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		m := map[string]any{"resource": n.server.URL + "/mcp", "authorization_servers": []string{n.as.URL}, "scopes_supported": []string{"read"}}
		if n.resource != nil {
			n.resource(m)
		}
		answerJSON(w, m)
		return
	}
	token, has := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	n.mu.Lock()
	n.bearers = append(n.bearers, q.Header.Get("Authorization"))
	refused := n.refuseToken
	n.mu.Unlock()
	switch {
	case has && token != refused && n.forbids != "":
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+n.forbids+`"`)
		w.WriteHeader(http.StatusForbidden)
	case has && token != refused:
		answerJSON(w, map[string]any{"ok": true})
	default:
		if n.header != nil {
			n.header(w)
		} else {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x", resource_metadata="`+n.server.URL+`/.well-known/oauth-protected-resource/mcp"`)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func (n *internet) atIssuer(w http.ResponseWriter, q *http.Request) {
	form := n.note(q)
	if n.raw != nil && n.raw(w, q) {
		return
	}
	switch q.URL.Path {
	case "/.well-known/oauth-authorization-server":
		m := map[string]any{
			"issuer": n.as.URL, "authorization_endpoint": n.as.URL + "/authorize?tenant=1", "token_endpoint": n.as.URL + "/token",
			"registration_endpoint": n.as.URL + "/register", "revocation_endpoint": n.as.URL + "/revoke",
			"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"}, "authorization_response_iss_parameter_supported": true,
		}
		if n.issuer != nil {
			n.issuer(m)
		}
		answerJSON(w, m)
	case "/register":
		if n.register != nil && n.register(w) {
			return
		}
		w.WriteHeader(http.StatusCreated)
		answerJSON(w, map[string]any{"client_id": "client-1", "token_endpoint_auth_method": "none"})
	case "/authorize":
		n.authorize(w, q)
	case "/token":
		n.giveToken(w, form)
	case "/revoke":
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (n *internet) authorize(w http.ResponseWriter, q *http.Request) {
	got := q.URL.Query()
	if got.Get("tenant") != "1" || got.Get("response_type") != "code" || got.Get("code_challenge_method") != "S256" || got.Get("resource") != n.server.URL+"/mcp" || len(got.Get("state")) < 32 {
		n.t.Errorf("the browser is sent with %v", got)
	}
	n.mu.Lock()
	n.challenges[plantedCode], n.redirects[plantedCode] = got.Get("code_challenge"), got.Get("redirect_uri")
	n.mu.Unlock()
	back := url.Values{"code": {plantedCode}, "state": {got.Get("state")}, "iss": {n.as.URL}}
	if n.back != nil {
		n.back(back)
	}
	http.Redirect(w, q, got.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (n *internet) giveToken(w http.ResponseWriter, form url.Values) {
	n.mu.Lock()
	defer n.mu.Unlock()
	deny := func(code string) {
		w.WriteHeader(http.StatusBadRequest)
		answerJSON(w, map[string]any{"error": code, "error_description": "you sent " + form.Get("refresh_token") + form.Get("code")})
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		code := form.Get("code")
		if n.challenges[code] == "" || base64.RawURLEncoding.EncodeToString(sum[:]) != n.challenges[code] || n.redirects[code] != form.Get("redirect_uri") || form.Get("resource") != n.server.URL+"/mcp" {
			deny("invalid_grant")
			return
		}
		delete(n.challenges, code)
	case "refresh_token":
		if old := form.Get("refresh_token"); n.spent[old] || old == "" || form.Get("resource") != n.server.URL+"/mcp" {
			deny("invalid_grant")
			return
		} else {
			n.spent[old] = true
		}
	default:
		deny("unsupported_grant_type")
		return
	}
	n.rotation++
	m := map[string]any{"access_token": fmt.Sprintf("%s-%d", plantedAccess, n.rotation), "token_type": "bearer", "refresh_token": fmt.Sprintf("%s-%d", plantedRefresh, n.rotation), "expires_in": n.expires, "scope": "read"}
	if n.token != nil && n.token(w, m) {
		return
	}
	answerJSON(w, m)
}

func answerJSON(w http.ResponseWriter, m any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m)
}

// person is who logs in: approves hosts, opens the address.
type person struct {
	t        *testing.T
	approved []string
	shown    []string
	said     []string
	told     []string
	open     func(address string) // nil: a browser that follows
}

func (n *internet) login(p *person) *Login {
	return &Login{
		Config: Config{Server: n.server.URL + "/mcp"},
		Approve: func(_ context.Context, origin, _ string) error {
			p.approved = append(p.approved, origin)
			return nil
		},
		Told: func(origin, _ string) error { p.told = append(p.told, origin); return nil },
		Show: func(address string, _ []string) {
			p.shown = append(p.shown, address)
			if p.open != nil {
				p.open(address)
				return
			}
			go browse(address)
		},
		Say: func(s string) { p.said = append(p.said, s) },
	}
}

// browse is a browser: it follows redirects.
func browse(address string) {
	if r, err := http.Get(address); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
}

// run logs in, and holds what is said against what must not be said.
func (n *internet) run(l *Login) (Grant, error) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), 20*time.Second)
	defer cancel()
	g, err := l.Run(ctx)
	if err != nil {
		noSecret(n.t, err.Error())
	}
	return g, err
}

func noSecret(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, "PLANTED") {
		t.Errorf("a secret is told: %s", text)
	}
}

// memory is a store.
type memory struct {
	mu sync.Mutex
	m  map[string]string
}

func (s *memory) Secret(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[name], nil
}

func (s *memory) Exchange(name string, f func(string) (string, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := f(s.m[name])
	if err == nil {
		if s.m == nil {
			s.m = map[string]string{}
		}
		s.m[name] = v
	}
	return err
}

// keeper logs in and keeps the grant.
func (n *internet) keeper(change func(*Grant)) (*Keeper, *memory) {
	n.t.Helper()
	g, err := n.run(n.login(&person{t: n.t}))
	if err != nil {
		n.t.Fatal(err)
	}
	if change != nil {
		change(&g)
	}
	store := &memory{}
	k := &Keeper{Server: "issues", Name: "mcp.x", Config: Config{Server: n.server.URL + "/mcp"}, Store: store, Net: netguard.Options{}}
	if err := k.Keep(g); err != nil {
		n.t.Fatal(err)
	}
	return k, store
}

// get sends a request with the keeper's token.
func (n *internet) get(k *Keeper, address string) (int, error) {
	q, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, address, strings.NewReader(`{}`))
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := k.Bearer(http.DefaultTransport).RoundTrip(q)
	if err != nil {
		noSecret(n.t, err.Error())
		return 0, err
	}
	_ = r.Body.Close()
	return r.StatusCode, nil
}
