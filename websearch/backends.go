package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// service is a Backend in a table: where it is, how it is asked, and where in
// its answer the hits are.
type service struct {
	name   string
	origin string // without a path
	path   string
	key    string
	auth   func(key string, h http.Header, q url.Values)
	ask    func(text string, n int) (query url.Values, body any)
	read   func(body []byte) ([]Result, error)
	hints  map[int]string
}

// Name implements Backend.
func (s *service) Name() string { return s.name }

// Origin implements Backend.
func (s *service) Origin() string { return s.origin }

// Request implements Backend.
func (s *service) Request(ctx context.Context, text string, n int) (*http.Request, error) {
	query, body := s.ask(text, n)
	header := http.Header{}
	if query == nil {
		query = url.Values{}
	}
	if s.auth != nil {
		s.auth(s.key, header, query)
	}
	at := s.origin + s.path
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
		method = http.MethodPost
		header.Set("Content-Type", "application/json")
	}
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("its address is not understood") // the error itself would tell the key
	}
	req.Header = header
	return req, nil
}

// Results implements Backend.
func (s *service) Results(body []byte) ([]Result, error) { return s.read(body) }

// Refusal implements Backend.
func (s *service) Refusal(status int) string {
	if hint, ok := s.hints[status]; ok {
		return hint
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "it refuses the key: look at it with `tera-pilot keys list`"
	case http.StatusPaymentRequired, http.StatusTooManyRequests:
		return "its limit is reached: wait, or use another service"
	}
	if status >= 300 && status < 400 {
		return "it redirects, which is not followed: name its real address in web.search.url"
	}
	return "try again later, or use another service"
}

// Names of the services.
const (
	SearXNG    = "searxng"
	Brave      = "brave"
	Tavily     = "tavily"
	Exa        = "exa"
	Kagi       = "kagi"
	Mojeek     = "mojeek"
	Marginalia = "marginalia"
)

// Services lists the names of all services, and says which need a key.
func Services() map[string]bool {
	return map[string]bool{SearXNG: false, Brave: true, Tavily: true, Exa: true, Kagi: true, Mojeek: true, Marginalia: false}
}

// NewBackend makes the service name. origin is where it is, "" for its usual
// place (SearXNG has none). key is empty where none is needed.
func NewBackend(name, origin, key string) (Backend, error) {
	needsKey, known := Services()[name]
	if !known {
		var names []string
		for n := range Services() {
			names = append(names, n)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("web.search.backend is %q: it must be one of %s", name, strings.Join(names, ", "))
	}
	s := services(name)
	if origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("web.search.url is %q: it must be an address like https://search.example.org", origin)
		}
		s.origin = u.Scheme + "://" + u.Host
		s.path = strings.TrimSuffix(u.Path, "/") + s.path
	}
	switch {
	case s.origin == "":
		return nil, fmt.Errorf("the service %s is your own: set web.search.url to its address, for example http://127.0.0.1:8080", name)
	case needsKey && key == "":
		return nil, fmt.Errorf("the service %s needs a key: `tera-pilot keys set %s` (it is read from standard input)", name, name)
	}
	s.key = key
	if name == Marginalia && key == "" {
		s.key = "public"
	}
	return s, nil
}
