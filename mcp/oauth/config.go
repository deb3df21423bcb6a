package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A Config is what the person wrote about the login at one server.
type Config struct {
	Server       string   // its address, whole
	ClientID     string   // "": a client is registered
	ClientSecret string   // of a client that has one
	Issuer       string   // the authorization server, where the person names it; "": whatever the server names
	Audience     string   // of the token, where it is not the server's address
	Scopes       []string // nil: those that the server wants
}

// Bounds of one exchange.
const (
	maxBody      = 256 << 10
	exchangeTime = 30 * time.Second
)

// doer is an HTTP client of the guard.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// door makes the client that reaches exactly the origin of raw. An address of
// this machine or of a private network is reached where the person named it: as
// the server's host, or as the issuer; and on this machine from this machine.
func (c Config) door(raw string, o netguard.Options) (doer, error) {
	policy, err := netguard.Origin(raw)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	named := c.named(u)
	switch {
	case u.Scheme != "https" && !(here(u.Hostname()) && named):
		return nil, fmt.Errorf("%s is reached without encryption, and it is not on this machine beside the server: only https is taken", origin(u))
	case named:
		policy = policy.AllowLocal()
	case policy.Local():
		return nil, fmt.Errorf("%s is not on the public internet, and nobody named it: if it is right, write it as the issuer of the server in your mcp.json", origin(u))
	}
	guard, err := netguard.New(policy, o)
	if err != nil {
		return nil, err
	}
	return guard.Client(netguard.Limits{Body: maxBody, Total: exchangeTime}), nil
}

// named says that the person named the host of u, or that it is this machine as
// the server is.
func (c Config) named(u *url.URL) bool {
	for _, own := range []string{c.Server, c.Issuer} {
		if o, err := url.Parse(own); err == nil && own != "" && strings.EqualFold(o.Hostname(), u.Hostname()) {
			return true
		}
	}
	s, err := url.Parse(c.Server)
	return err == nil && here(s.Hostname()) && here(u.Hostname())
}

// here says that a host is this machine by its name alone.
func here(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// origin is scheme, host and port, as a person compares them.
func origin(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(u.Host) }

// address reads an address of a server's metadata: absolute, plain, and over
// https unless the host is this machine.
func address(raw, what string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.Fragment != "" || !visible.Harmless(raw):
		return nil, fmt.Errorf("%s is no plain address", what)
	case u.Scheme != "https" && !(u.Scheme == "http" && here(u.Hostname())):
		return nil, fmt.Errorf("%s is %.20q, and only https is taken", what, u.Scheme)
	}
	if _, err := netguard.Origin(raw); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return u, nil
}

// fetch sends a request and reads a JSON object with the wanted status. code is
// the status that came.
func fetch(d doer, q *http.Request, into any) (code int, err error) {
	q.Header.Set("Accept", "application/json")
	r, err := d.Do(q)
	if err != nil {
		return 0, plain(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return r.StatusCode, plain(err)
	}
	if r.StatusCode/100 != 2 {
		return r.StatusCode, refusal(r.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return r.StatusCode, errors.New("the answer is not JSON of the expected form")
	}
	return r.StatusCode, nil
}

// plain is an error of an exchange without the address, which can hold more
// than a reader should see.
func plain(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// A ServerError is what an authorization server said in the protocol's words.
type ServerError struct {
	Code   string // invalid_grant and the like
	Status int
}

func (e *ServerError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("it answered with status %d", e.Status)
	}
	return fmt.Sprintf("it answered %s (status %d)", e.Code, e.Status)
}

// errorCodes are the words that are repeated; what else a server writes could
// hold what it was sent.
var errorCodes = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
	"access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable", "invalid_redirect_uri", "invalid_client_metadata",
}

// word is an error code as it may be shown.
func word(code string) string {
	if code == "" || slices.Contains(errorCodes, code) {
		return code
	}
	return "an error of its own"
}

func refusal(status int, body []byte) error {
	var e struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &e) // what is no such object names no code
	return &ServerError{word(e.Error), status}
}

// post sends a form whose answer does not matter.
func post(ctx context.Context, d doer, to string, form url.Values) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r, err := d.Do(q)
	if err != nil {
		return plain(err)
	}
	defer r.Body.Close()
	if r.StatusCode/100 != 2 {
		return &ServerError{Status: r.StatusCode}
	}
	return nil
}
