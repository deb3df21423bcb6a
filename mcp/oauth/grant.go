package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Grant is what came of a login: tokens, and all that they are bound to.
type Grant struct {
	Server     string   `json:"server"`   // the one address that the token is sent to
	Resource   string   `json:"resource"` // as the server calls itself
	Issuer     string   `json:"issuer"`
	Token      string   `json:"token_endpoint"`
	Revocation string   `json:"revocation_endpoint,omitempty"`
	Audience   string   `json:"audience,omitempty"` // where the person wrote one
	Client     Client   `json:"client"`
	Scopes     []string `json:"scopes,omitempty"`
	Hosts      []string `json:"hosts,omitempty"` // that the person approved

	Access  string    `json:"access"`
	Refresh string    `json:"refresh,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // zero: not known
}

// String names nothing secret.
func (g Grant) String() string { return "login at " + g.Issuer }

// Secrets are what must stand in no log.
func (g Grant) Secrets() []string {
	return slices.DeleteFunc([]string{g.Access, g.Refresh, g.Client.Secret}, func(s string) bool { return s == "" })
}

// maxToken is the longest token, in bytes.
const maxToken = 16 << 10

// tokenForm says that a token is what a header and a form can carry.
func tokenForm(s string) bool {
	return s != "" && len(s) <= maxToken && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
}

// exchange asks the token endpoint and puts what it gives into the grant. On an
// error the grant is as it was.
func (g *Grant) exchange(ctx context.Context, d doer, form url.Values) error {
	form.Set("resource", g.Resource)
	if g.Client.Secret == "" || !g.Client.Basic {
		form.Set("client_id", g.Client.ID)
	}
	if g.Client.Secret != "" && !g.Client.Basic {
		form.Set("client_secret", g.Client.Secret)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, g.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if g.Client.Secret != "" && g.Client.Basic {
		q.SetBasicAuth(url.QueryEscape(g.Client.ID), url.QueryEscape(g.Client.Secret))
	}
	var r answer
	if _, err := fetch(d, q, &r); err != nil {
		return err
	}
	if err := g.fits(r); err != nil {
		return err
	}
	g.Access, g.Expires = r.Access, time.Time{}
	if r.Seconds > 0 {
		g.Expires = time.Now().Add(time.Duration(min(r.Seconds, maxSeconds)) * time.Second)
	}
	if r.Refresh != "" {
		g.Refresh = r.Refresh
	}
	if r.Scope != "" {
		g.Scopes = scopes(r.Scope)
	}
	return nil
}

// maxSeconds is how long a token is taken to be good.
const maxSeconds = 365 * 24 * 3600

// answer is that of a token endpoint.
type answer struct {
	Error   string `json:"error"` // some servers send it with status 200
	Access  string `json:"access_token"`
	Kind    string `json:"token_type"`
	Refresh string `json:"refresh_token"`
	Seconds int64  `json:"expires_in"`
	Scope   string `json:"scope"`
}

// fits says why an answer holds no token for the server.
func (g *Grant) fits(r answer) error {
	switch {
	case r.Error != "":
		return &ServerError{word(r.Error), http.StatusOK}
	case !tokenForm(r.Access):
		return errors.New("the answer holds no token")
	case !strings.EqualFold(r.Kind, "Bearer"):
		return errors.New("the answer holds a token that is no bearer token")
	case r.Refresh != "" && !tokenForm(r.Refresh):
		return errors.New("the answer holds a refresh token that is none")
	}
	if aud := audience(r.Access); aud != nil && !slices.ContainsFunc(aud, g.meant) {
		return fmt.Errorf("the token is for another audience than %s, and was thrown away; if the server is known there by another name, write it as audience in your mcp.json", g.Resource)
	}
	return nil
}

// meant says that an audience is the server.
func (g *Grant) meant(aud string) bool {
	if g.Audience != "" {
		return aud == g.Audience
	}
	a, err := url.Parse(aud)
	r, err2 := url.Parse(g.Server)
	return err == nil && err2 == nil && origin(a) == origin(r) && within(a.EscapedPath(), r.EscapedPath())
}

// audience reads the aud of a token that is a JWT; nil where there is none to
// be read. Nothing else is believed of it: its signature is the server's to check.
func audience(token string) []string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return nil
	}
	var claims struct {
		Aud json.RawMessage `json:"aud"`
	}
	if json.Unmarshal(raw, &claims) != nil || claims.Aud == nil {
		return nil
	}
	var many []string
	if json.Unmarshal(claims.Aud, &many) == nil {
		return many
	}
	var one string
	if json.Unmarshal(claims.Aud, &one) == nil {
		return []string{one}
	}
	return []string{""} // it says something, and nothing that could be the server
}

// readGrant reads a grant that was kept.
func readGrant(text string) (Grant, error) {
	var g Grant
	if json.Unmarshal([]byte(text), &g) != nil || !tokenForm(g.Access) || g.Server == "" || g.Issuer == "" {
		return Grant{}, errors.New("the login that is kept is damaged")
	}
	return g, nil
}
