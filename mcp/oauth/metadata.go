package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A resource is what a server says of its own protection (RFC 9728).
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// An issuer is what an authorization server says of itself (RFC 8414).
type issuer struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Responses     []string `json:"response_types_supported"`
	Grants        []string `json:"grant_types_supported"`
	NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
}

// probe asks the server for what only a login gives, and reads the challenge.
func (l *Login) probe(ctx context.Context) (challenge, error) {
	d, err := l.reach(ctx, l.Config.Server, "the server itself")
	if err != nil {
		return challenge{}, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Config.Server, bytes.NewReader([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)))
	if err != nil {
		return challenge{}, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	r, err := d.Do(q)
	if err != nil {
		return challenge{}, plain(err)
	}
	defer r.Body.Close()
	if r.StatusCode/100 == 3 {
		return challenge{}, errors.New("the server leads elsewhere (a redirect): write the address that it leads to in your mcp.json")
	}
	return readChallenge(r.Header.Values("WWW-Authenticate")), nil
}

// aboutServer reads the server's own metadata: where its challenge says, which
// must be on its own origin, else at the well-known places.
func (l *Login) aboutServer(ctx context.Context, c challenge) (resource, error) {
	u, err := url.Parse(l.Config.Server)
	if err != nil {
		return resource{}, err
	}
	var places []string
	if c.metadata != "" {
		m, err := address(c.metadata, "where the server's metadata lies")
		if err != nil {
			return resource{}, err
		}
		if origin(m) != origin(u) {
			return resource{}, fmt.Errorf("the server says that its metadata lies at %s, which is another host", origin(m))
		}
		places = []string{c.metadata}
	} else {
		places = wellKnown(u, "oauth-protected-resource")
	}
	d, err := l.reach(ctx, l.Config.Server, "the server itself")
	if err != nil {
		return resource{}, err
	}
	for _, place := range places {
		var r resource
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
		if err != nil {
			return r, err
		}
		code, err := fetch(d, q, &r)
		if code/100 == 4 {
			continue
		}
		if err != nil {
			return r, fmt.Errorf("the server's metadata: %w", err)
		}
		return r, r.fault(u)
	}
	return resource{}, errors.New("the server has no metadata about its login (RFC 9728): a login is not possible; give it a header in your mcp.json if it takes a key")
}

// fault says why the metadata is not that of the server.
func (r resource) fault(server *url.URL) error {
	u, err := url.Parse(r.Resource)
	if err != nil || r.Resource == "" || u.Fragment != "" || origin(u) != origin(server) || !within(u.EscapedPath(), server.EscapedPath()) {
		return errors.New("the server's metadata are about another resource than the server")
	}
	if len(r.Servers) == 0 {
		return errors.New("the server's metadata name no authorization server")
	}
	return nil
}

// within says that a path is another one, or lies beneath it.
func within(above, path string) bool {
	above, path = strings.TrimSuffix(above, "/"), strings.TrimSuffix(path, "/")
	return path == above || strings.HasPrefix(path, above+"/")
}

// wellKnown are the places of metadata about an address: with its path behind
// the well-known one, then of its host.
func wellKnown(u *url.URL, name string) []string {
	at := func(path string) string {
		return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String()
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		return []string{at("/.well-known/" + name + "/" + path), at("/.well-known/" + name)}
	}
	return []string{at("/.well-known/" + name)}
}

// chosen is the authorization server that is spoken to: the one that the person
// named, where the server names it too, else the server's first.
func (l *Login) chosen(r resource) (string, error) {
	switch want := l.Config.Issuer; {
	case want == "":
		return r.Servers[0], nil
	case slices.Contains(r.Servers, want):
		return want, nil
	default:
		return "", fmt.Errorf("the server does not name the issuer of your mcp.json, but %d others", len(r.Servers))
	}
}

// aboutIssuer reads the metadata of the authorization server.
func (l *Login) aboutIssuer(ctx context.Context, raw string) (issuer, error) {
	u, err := address(raw, "the authorization server")
	if err != nil {
		return issuer{}, err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return issuer{}, errors.New("the authorization server's address has a query")
	}
	d, err := l.reach(ctx, raw, "the authorization server")
	if err != nil {
		return issuer{}, err
	}
	places := slices.Concat(wellKnown(u, "oauth-authorization-server")[:1], wellKnown(u, "openid-configuration")[:1])
	if path := strings.Trim(u.Path, "/"); path != "" {
		places = append(places, origin(u)+"/"+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		var m issuer
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
		if err != nil {
			return m, err
		}
		code, err := fetch(d, q, &m)
		if code/100 == 4 {
			continue
		}
		if err != nil {
			return m, fmt.Errorf("the metadata of the authorization server: %w", err)
		}
		return m, m.fault(raw)
	}
	return issuer{}, errors.New("the authorization server has no metadata (RFC 8414): a login is not possible")
}

// fault says why an authorization server is not spoken to.
func (m issuer) fault(asked string) error {
	switch {
	case m.Issuer != asked:
		return errors.New("the authorization server's metadata are another issuer's")
	case !slices.Contains(m.Challenges, "S256"):
		return errors.New("the authorization server does not say that it takes PKCE with S256, without which a login is not safe")
	case len(m.Responses) > 0 && !slices.Contains(m.Responses, "code"):
		return errors.New("the authorization server gives no codes")
	}
	for _, e := range []struct {
		what, raw string
		needed    bool
	}{{"authorization", m.Authorization, true}, {"token", m.Token, true}, {"registration", m.Registration, false}, {"revocation", m.Revocation, false}} {
		if e.raw == "" && !e.needed {
			continue
		}
		if _, err := address(e.raw, "the "+e.what+" endpoint"); err != nil {
			return err
		}
	}
	return nil
}
