package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// Bounds of a search.
const (
	maxQuery   = 400 // characters
	maxResults = 10
	maxAnswer  = 2 << 20 // bytes of a back end's answer
	searchTime = 15 * time.Second
)

// A Result is one hit of a search.
type Result struct {
	Title, URL, Snippet string
	Trusted             bool // the host is in the user's list
}

// A Backend is one search service.
type Backend interface {
	// Name is the service's word in the settings.
	Name() string
	// Origin is the scheme, host and port that are reached, and nothing else.
	Origin() string
	// Request asks for at most n hits. It holds the key, which no error tells.
	Request(ctx context.Context, query string, n int) (*http.Request, error)
	// Results reads the answer to it.
	Results(body []byte) ([]Result, error)
	// Refusal says what a status other than 200 means, with the mend.
	Refusal(status int) string
}

// ErrNoBackend says that no search service is configured.
var ErrNoBackend = errors.New("no search service is configured: set web.search.backend in config.json (docs/web.md)")

// A BackendError says that the service gave no results, and why.
type BackendError struct {
	Backend string
	Why     string
}

func (e *BackendError) Error() string { return "search by " + e.Backend + " failed: " + e.Why }

// Searches says whether a search service is configured, and which.
func (w *Web) Searches() (name string, ok bool) {
	if w.o.Backend == nil {
		return "", false
	}
	return w.o.Backend.Name(), true
}

// A Query is a search that was understood, and not sent.
type Query struct {
	Text       string
	Host       string
	Port       uint16
	Suspicious []string // as in Address
}

// PlanSearch understands a query without sending anything.
func (w *Web) PlanSearch(text string) (Query, error) {
	if w.o.Backend == nil {
		return Query{}, ErrNoBackend
	}
	text = strings.Join(strings.Fields(text), " ")
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return Query{}, errors.New("the query is empty")
	case n > maxQuery:
		return Query{}, fmt.Errorf("the query has %d characters; at most %d are sent: say it in fewer words", n, maxQuery)
	case !utf8.ValidString(text):
		return Query{}, errors.New("the query is no text")
	}
	guard, err := w.searchGuard()
	if err != nil {
		return Query{}, err
	}
	at, err := guard.Parse(w.o.Backend.Origin())
	if err != nil {
		return Query{}, err
	}
	return Query{text, at.Host, at.Port, w.scan(text)}, nil
}

func (w *Web) searchGuard() (*netguard.Guard, error) {
	policy, err := netguard.Origin(w.o.Backend.Origin())
	if err != nil {
		return nil, fmt.Errorf("the address of the search service %s: %w", w.o.Backend.Name(), err)
	}
	return netguard.New(policy.AllowLocal(), w.o.Net)
}

// Search asks the configured service, for at most n hits. The caller has asked
// the gate.
func (w *Web) Search(ctx context.Context, text string, n int) ([]Result, error) {
	q, err := w.PlanSearch(text)
	if err != nil {
		return nil, err
	}
	w.o.Secrets.Sent(q.Text)
	n = min(max(n, 1), maxResults)
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	body, err := w.ask(ctx, q.Text, n)
	if err != nil {
		return nil, err
	}
	hits, err := w.o.Backend.Results(body)
	if err != nil {
		return nil, &BackendError{w.o.Backend.Name(), err.Error()}
	}
	return w.sorted(hits, n), nil
}

// ask sends the request and reads the answer, which must be JSON.
func (w *Web) ask(ctx context.Context, text string, n int) ([]byte, error) {
	b := w.o.Backend
	fail := func(why string) ([]byte, error) { return nil, &BackendError{b.Name(), why} }
	guard, err := w.searchGuard()
	if err != nil {
		return nil, err
	}
	req, err := b.Request(ctx, text, n)
	if err != nil {
		return fail("the request cannot be made: " + err.Error())
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	resp, err := guard.Client(netguard.Limits{Body: maxAnswer, Total: searchTime}).Do(req)
	if err != nil {
		return fail(w.hide(plainError(b.Origin(), err).Error()))
	}
	defer func() { _ = resp.Body.Close() }() // read-only
	if resp.StatusCode != http.StatusOK {
		return fail(fmt.Sprintf("it answered %d: %s", resp.StatusCode, b.Refusal(resp.StatusCode)))
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fail("its answer ends before its time: " + err.Error())
	}
	if !json.Valid(body) {
		return fail("it answered with a page, not with results: a block, a login or a limit. " + b.Refusal(http.StatusForbidden))
	}
	return body, nil
}

func (w *Web) hide(s string) string {
	if w.o.Secrets == nil {
		return s
	}
	return w.o.Secrets.Text(s)
}

// sorted drops what is no web address, marks trusted hosts and, where the user
// prefers them, puts them first.
func (w *Web) sorted(hits []Result, n int) []Result {
	var out []Result
	for _, h := range hits {
		target, err := w.guard.Parse(h.URL)
		if err != nil {
			continue // nothing that could be fetched
		}
		h.Trusted = w.o.Domains.trusts(target.Host)
		if w.o.Domains.refuses(target.Host) == nil {
			out = append(out, h)
		}
	}
	if w.o.Domains.Mode == TrustedPreferred {
		slices.SortStableFunc(out, func(a, b Result) int {
			switch {
			case a.Trusted == b.Trusted:
				return 0
			case a.Trusted:
				return -1
			default:
				return 1
			}
		})
	}
	return out[:min(len(out), n)]
}
