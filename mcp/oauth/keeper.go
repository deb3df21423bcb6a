package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// A Store keeps grants under names, out of others' sight.
type Store interface {
	// Secret is what is kept under a name, "" for nothing.
	Secret(name string) (string, error)
	// Exchange replaces it by what f makes of it, "" to forget it. Processes wait
	// for each other; when f fails all stays as it was.
	Exchange(name string, f func(old string) (string, error)) error
}

// A Keeper holds the login of one server. It can be used by many goroutines.
type Keeper struct {
	Server string // its name, for people
	Name   string // in the store
	Config Config
	Store  Store
	Net    netguard.Options
	Learn  func(secrets ...string) // is told each token before it is used, so that it is masked; nil: nobody

	mu    sync.Mutex // one renewal at a time; held for as long as it takes, exchangeTime at most
	known sync.Map   // the secrets that were read, as keys
}

// A NeededError says that the server wants a login, or a wider one.
type NeededError struct {
	Server string
	Scopes []string // that are missing
	Why    string
}

func (e *NeededError) Error() string {
	text := e.Why + ": `tera-pilot mcp login " + e.Server
	for _, s := range e.Scopes {
		text += " --scope " + s
	}
	return text + "`"
}

// errChanged says that what is kept is for another server.
var errChanged = errors.New("the login that is kept is for another address")

// Grant is the login that is kept; ok is false when there is none.
func (k *Keeper) Grant() (g Grant, ok bool, err error) {
	text, err := k.Store.Secret(k.Name)
	if err != nil || text == "" {
		return Grant{}, false, err
	}
	g, err = readGrant(text)
	if err == nil && g.Server != k.Config.Server {
		err = errChanged
	}
	if err != nil {
		return Grant{}, false, err
	}
	k.learn(g)
	return g, true, nil
}

func (k *Keeper) learn(g Grant) {
	for _, s := range g.Secrets() {
		k.known.Store(s, true)
	}
	if k.Learn != nil {
		k.Learn(g.Secrets()...)
	}
}

// Told says that a text of the server holds a token: no honest one says it back.
func (k *Keeper) Told(text []byte) (holds bool) {
	k.known.Range(func(secret, _ any) bool {
		holds = bytes.Contains(text, []byte(secret.(string)))
		return !holds
	})
	return holds
}

// Keep keeps a grant in place of what was kept.
func (k *Keeper) Keep(g Grant) error {
	if g.Server != k.Config.Server {
		return errChanged
	}
	k.learn(g)
	return k.Store.Exchange(k.Name, func(string) (string, error) { return encode(g) })
}

// Forget forgets the login. It tells the authorization server so, where that has
// a place for it and can be reached; told is false when it was not.
func (k *Keeper) Forget(ctx context.Context) (had, told bool, err error) {
	var g Grant
	err = k.Store.Exchange(k.Name, func(old string) (string, error) {
		had = old != ""
		g, _ = readGrant(old) // a damaged one is forgotten too
		return "", nil
	})
	if err != nil || g.Revocation == "" || g.Server != k.Config.Server {
		return had, false, err
	}
	return had, k.revoke(ctx, g) == nil, nil
}

// revoke gives a token back (RFC 7009), if its host was approved.
func (k *Keeper) revoke(ctx context.Context, g Grant) error {
	d, err := k.door(g, g.Revocation)
	if err != nil {
		return err
	}
	token := g.Refresh
	if token == "" {
		token = g.Access
	}
	form := url.Values{"token": {token}, "client_id": {g.Client.ID}}
	if g.Client.Secret != "" {
		form.Set("client_secret", g.Client.Secret)
	}
	return post(ctx, d, g.Revocation, form)
}

// door reaches an endpoint of a grant, if the person approved its host.
func (k *Keeper) door(g Grant, raw string) (doer, error) {
	u, err := address(raw, "the endpoint")
	if err != nil {
		return nil, err
	}
	own, err := url.Parse(k.Config.Server)
	if err != nil {
		return nil, err
	}
	if at := origin(u); at != origin(own) && !slices.Contains(g.Hosts, at) {
		return nil, fmt.Errorf("nobody approved %s", at)
	}
	return k.Config.door(raw, k.Net)
}

func encode(g Grant) (string, error) {
	b, err := json.Marshal(g)
	return string(b), err
}

// early is how long before its end a token is renewed.
const early = 30 * time.Second

// token is a token to be sent: the one that is kept, renewed where it is about
// to end. "" means that nobody logged in.
func (k *Keeper) token(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	g, ok, err := k.Grant()
	if err != nil || !ok {
		return "", err
	}
	if !g.Expires.IsZero() && time.Until(g.Expires) < early && g.Refresh != "" {
		return k.renew(ctx, g.Access)
	}
	return g.Access, nil
}

// again is a token in place of one that was refused.
func (k *Keeper) again(ctx context.Context, refused string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.renew(ctx, refused)
}

// renew takes a new token for an old one, unless another process did so already.
func (k *Keeper) renew(ctx context.Context, old string) (string, error) {
	fresh, gone := "", false
	err := k.Store.Exchange(k.Name, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("nobody is logged in any more")
		}
		g, err := readGrant(text)
		switch {
		case err != nil:
			return "", err
		case g.Server != k.Config.Server:
			return "", errChanged
		case g.Access != old:
			fresh = g.Access
			k.learn(g)
			return text, nil
		case g.Refresh == "":
			return "", errors.New("the login has ended")
		}
		err = k.refresh(ctx, &g)
		if refused := (*ServerError)(nil); errors.As(err, &refused) && refused.Code == "invalid_grant" {
			gone = true // it will never be good again
			return "", nil
		}
		if err != nil {
			return "", err
		}
		fresh = g.Access
		k.learn(g)
		return encode(g)
	})
	if gone {
		err = errors.New("the authorization server has ended the login")
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &NeededError{Server: k.Server, Why: err.Error()}
	}
	return fresh, nil
}

// refresh asks for new tokens.
func (k *Keeper) refresh(ctx context.Context, g *Grant) error {
	d, err := k.door(*g, g.Token)
	if err != nil {
		return err
	}
	if err := tell(ctx, g.Token); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeTime) // a spent token must not be lost with a call
	defer cancel()
	return g.exchange(ctx, d, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.Refresh}})
}

type tellKey struct{}

// Telling gives a context in which f is told of the authorization server's host
// before a login is renewed there; its error stops that. f may be nil.
func Telling(ctx context.Context, f func(host string) error) context.Context {
	if f == nil {
		return ctx
	}
	return context.WithValue(ctx, tellKey{}, f)
}

func tell(ctx context.Context, raw string) error {
	f, ok := ctx.Value(tellKey{}).(func(string) error)
	u, err := url.Parse(raw)
	if err != nil || !ok {
		return err
	}
	return f(u.Host)
}

// Bearer is next with the token of the login, for the server's very address and
// nothing else. Refused, it is renewed once.
func (k *Keeper) Bearer(next http.RoundTripper) http.RoundTripper { return bearer{k, next} }

type bearer struct {
	keeper *Keeper
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(q *http.Request) (*http.Response, error) {
	k := b.keeper
	if q.Header.Get("Authorization") != "" || q.URL.String() != k.Config.Server {
		return b.next.RoundTrip(q)
	}
	token, err := k.token(q.Context())
	if err != nil {
		return nil, errors.Join(err, closeBody(q))
	}
	r, err := b.send(q, token)
	if err != nil || r.StatusCode != http.StatusUnauthorized && r.StatusCode != http.StatusForbidden {
		return r, err
	}
	c := readChallenge(r.Header.Values("WWW-Authenticate"))
	switch {
	case r.StatusCode == http.StatusForbidden && c.code == "insufficient_scope":
		return nil, errors.Join(&NeededError{k.Server, scopes(c.scope), "the server wants a wider login"}, drain(r))
	case r.StatusCode == http.StatusForbidden:
		return r, nil
	case token == "":
		return nil, errors.Join(&NeededError{Server: k.Server, Why: "the server wants a login"}, drain(r))
	case q.Body != nil && q.GetBody == nil:
		return r, nil
	}
	if err := drain(r); err != nil {
		return nil, err
	}
	if token, err = k.again(q.Context(), token); err != nil {
		return nil, err
	}
	again := q.Clone(q.Context())
	if q.GetBody != nil {
		if again.Body, err = q.GetBody(); err != nil {
			return nil, err
		}
	}
	r, err = b.send(again, token)
	if err == nil && r.StatusCode == http.StatusUnauthorized {
		return nil, errors.Join(&NeededError{Server: k.Server, Why: "the server does not take the login any more"}, drain(r))
	}
	return r, err
}

func (b bearer) send(q *http.Request, token string) (*http.Response, error) {
	if token != "" {
		q = q.Clone(q.Context()) // a round tripper changes no request
		q.Header.Set("Authorization", "Bearer "+token)
	}
	return b.next.RoundTrip(q)
}

func closeBody(q *http.Request) error {
	if q.Body == nil {
		return nil
	}
	return q.Body.Close()
}

// drain ends a response that nobody reads.
func drain(r *http.Response) error {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody)) // what is left does not matter
	return r.Body.Close()
}
