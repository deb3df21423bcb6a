package oauth

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// A Login is one login at a server.
type Login struct {
	Config Config
	Net    netguard.Options
	Wider  []string // scopes besides those that the server wants
	Known  []string // origins that the person approved before

	// Approve asks the person about an origin before the first word to it. An error
	// ends the login.
	Approve func(ctx context.Context, origin, why string) error
	// Told hears of each origin before the first word to it, the server's own among
	// them. An error ends the login.
	Told func(origin, why string) error
	// Show shows what the login would allow, with the address that the person opens.
	Show func(address string, scopes []string)
	// Pasted are addresses that the person copied from the browser; nil: none.
	Pasted <-chan string
	// Say tells of progress, and of a pasted address that was none.
	Say func(text string)

	hosts []string // that the person approved
	told  []string
}

// random is an unguessable text for addresses.
func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}

// reach gives the client for the origin of raw, once the person approved it.
func (l *Login) reach(ctx context.Context, raw, why string) (doer, error) {
	d, err := l.Config.door(raw, l.Net)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", why, err)
	}
	if err := l.approved(ctx, raw, why); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if at := origin(u); !slices.Contains(l.told, at) {
		l.told = append(l.told, at)
		return d, l.Told(at, why)
	}
	return d, nil
}

// approved asks about an origin that is neither the server's own nor known.
func (l *Login) approved(ctx context.Context, raw, why string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return err
	}
	own, err := url.Parse(l.Config.Server)
	if err != nil {
		return err
	}
	at := origin(u)
	if at == origin(own) || slices.Contains(l.hosts, at) {
		return nil
	}
	if !slices.Contains(l.Known, at) {
		if err := l.Approve(ctx, at, why); err != nil {
			return err
		}
	}
	l.hosts = append(l.hosts, at)
	return nil
}

// Run logs in. The grant that comes back is good and not yet kept.
func (l *Login) Run(ctx context.Context) (Grant, error) {
	g, m, err := l.learn(ctx)
	if err != nil {
		return Grant{}, err
	}
	state, verifier := random(), random()
	page, err := land(state)
	if err != nil {
		return Grant{}, err
	}
	defer page.close()
	page.open(m)
	if g.Client, err = l.client(ctx, m, page.uri, g.Scopes); err != nil {
		return Grant{}, err
	}
	l.Show(authorization(m, g, page.uri, state, verifier), g.Scopes)
	code, err := page.wait(ctx, l.Pasted, l.Say)
	if err != nil {
		return Grant{}, err
	}
	l.Say("the browser came back; the token is asked for")
	d, err := l.reach(ctx, m.Token, "tokens are given there")
	if err != nil {
		return Grant{}, err
	}
	g.Hosts = l.hosts
	err = g.exchange(ctx, d, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {page.uri}, "code_verifier": {verifier},
	})
	if err != nil {
		return Grant{}, fmt.Errorf("the token: %w", err)
	}
	return g, nil
}

// learn asks the server who gives tokens for it, and that one for its addresses.
// The grant says what would be granted; nobody has been asked for it yet.
func (l *Login) learn(ctx context.Context) (Grant, issuer, error) {
	c, err := l.probe(ctx)
	if err != nil {
		return Grant{}, issuer{}, err
	}
	l.Say("the server's metadata are read")
	r, err := l.aboutServer(ctx, c)
	if err != nil {
		return Grant{}, issuer{}, err
	}
	at, err := l.chosen(r)
	if err != nil {
		return Grant{}, issuer{}, err
	}
	m, err := l.aboutIssuer(ctx, at)
	if err != nil {
		return Grant{}, issuer{}, err
	}
	if _, err := l.Config.door(m.Authorization, l.Net); err != nil { // the browser goes where we would
		return Grant{}, issuer{}, fmt.Errorf("the authorization endpoint: %w", err)
	}
	if err := l.approved(ctx, m.Authorization, "the browser is sent there"); err != nil {
		return Grant{}, issuer{}, err
	}
	g := Grant{Server: l.Config.Server, Resource: r.Resource, Issuer: m.Issuer, Token: m.Token, Revocation: m.Revocation, Audience: l.Config.Audience, Scopes: l.wants(c, r)}
	return g, m, nil
}

// wants are the scopes that are asked for: the person's, else those of the
// challenge, else those of the metadata; and the wider ones.
func (l *Login) wants(c challenge, r resource) []string {
	out := l.Config.Scopes
	if out == nil {
		out = scopes(c.scope)
	}
	if len(out) == 0 {
		out = scopes(strings.Join(r.Scopes, " "))
	}
	out = slices.Clone(out)
	for _, s := range l.Wider {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// authorization is the address that the person opens.
func authorization(m issuer, g Grant, redirect, state, verifier string) string {
	u, err := url.Parse(m.Authorization)
	if err != nil {
		panic("oauth: an address that was read cannot be read: " + err.Error())
	}
	sum := sha256.Sum256([]byte(verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": g.Client.ID, "redirect_uri": redirect, "state": state, "resource": g.Resource,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
	} {
		q.Set(name, value)
	}
	if len(g.Scopes) > 0 {
		q.Set("scope", strings.Join(g.Scopes, " "))
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// A Client is who we are to an authorization server.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	Basic  bool   `json:"basic,omitempty"` // the secret travels in a header
}

// client is the one of the configuration, or one that is registered for this
// login alone (RFC 7591): its redirect address is exact.
func (l *Login) client(ctx context.Context, m issuer, redirect string, want []string) (Client, error) {
	if l.Config.ClientID != "" {
		return Client{ID: l.Config.ClientID, Secret: l.Config.ClientSecret}, nil
	}
	if m.Registration == "" {
		return Client{}, errors.New("the authorization server registers no clients: register one there (redirect address http://127.0.0.1/callback) and write its client_id in your mcp.json")
	}
	d, err := l.reach(ctx, m.Registration, "clients are registered there")
	if err != nil {
		return Client{}, err
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "tera-pilot", "redirect_uris": []string{redirect}, "grant_types": []string{"authorization_code", "refresh_token"},
		"response_types": []string{"code"}, "token_endpoint_auth_method": "none", "application_type": "native", "scope": strings.Join(want, " "),
	})
	if err != nil {
		return Client{}, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Registration, bytes.NewReader(body))
	if err != nil {
		return Client{}, err
	}
	q.Header.Set("Content-Type", "application/json")
	var r struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Method string `json:"token_endpoint_auth_method"`
	}
	if _, err := fetch(d, q, &r); err != nil {
		return Client{}, fmt.Errorf("the registration: %w", err)
	}
	if !tokenForm(r.ID) || r.Secret != "" && !tokenForm(r.Secret) {
		return Client{}, errors.New("the registration: the answer names no client")
	}
	switch r.Method {
	case "", "none":
		return Client{ID: r.ID}, nil
	case "client_secret_post", "client_secret_basic":
		return Client{ID: r.ID, Secret: r.Secret, Basic: r.Method == "client_secret_basic"}, nil
	default:
		return Client{}, errors.New("the registration: the client would have to show itself in a way that is not known here")
	}
}
