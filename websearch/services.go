package websearch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// services holds how each service is asked and read (docs/web.md names the
// sources).
func services(name string) *service {
	switch name {
	case SearXNG:
		return searxng()
	case Brave:
		return brave()
	case Tavily:
		return tavily()
	case Exa:
		return exa()
	case Kagi:
		return kagi()
	case Mojeek:
		return mojeek()
	default:
		return marginalia()
	}
}

func searxng() *service {
	return &service{
		name: SearXNG, path: "/search",
		ask: func(text string, _ int) (url.Values, any) { return url.Values{"q": {text}, "format": {"json"}}, nil },
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Content string }
			var a struct {
				Results []hit
				Silent  [][]string `json:"unresponsive_engines"`
			}
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			if len(a.Results) == 0 && len(a.Silent) > 0 {
				return nil, fmt.Errorf("none of its engines answered (%s)", clip(fmt.Sprint(a.Silent)))
			}
			return results(a.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Content} }), nil
		},
		hints: map[int]string{
			http.StatusForbidden:       "it gives no JSON: add `json` to search.formats in its settings.yml",
			http.StatusTooManyRequests: "its limiter refuses: switch it off for this machine in its limiter.toml",
		},
	}
}

func brave() *service {
	return &service{
		name: Brave, origin: "https://api.search.brave.com", path: "/res/v1/web/search",
		auth: func(key string, h http.Header, _ url.Values) { h.Set("X-Subscription-Token", key) },
		ask:  counted("q", "count"),
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Description string }
			var a struct{ Web struct{ Results []hit } }
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			return results(a.Web.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Description} }), nil
		},
	}
}

func tavily() *service {
	return &service{
		name: Tavily, origin: "https://api.tavily.com", path: "/search", auth: bearer("Bearer "),
		ask: func(text string, n int) (url.Values, any) {
			return nil, map[string]any{"query": text, "max_results": n}
		},
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Content string }
			var a struct{ Results []hit }
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			return results(a.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Content} }), nil
		},
	}
}

func exa() *service {
	return &service{
		name: Exa, origin: "https://api.exa.ai", path: "/search",
		auth: func(key string, h http.Header, _ url.Values) { h.Set("X-Api-Key", key) },
		ask: func(text string, n int) (url.Values, any) {
			return nil, map[string]any{"query": text, "numResults": n, "contents": map[string]any{"text": map[string]any{"maxCharacters": 400}}}
		},
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Text string }
			var a struct{ Results []hit }
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			return results(a.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Text} }), nil
		},
	}
}

func kagi() *service {
	return &service{
		name: Kagi, origin: "https://kagi.com", path: "/api/v0/search", auth: bearer("Bot "), ask: counted("q", "limit"),
		read: func(b []byte) ([]Result, error) {
			type hit struct {
				T                   int
				Title, URL, Snippet string
			}
			var a struct{ Data []hit }
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			hits := slices.DeleteFunc(a.Data, func(h hit) bool { return h.T != 0 }) // others are related searches
			return results(hits, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Snippet} }), nil
		},
	}
}

func mojeek() *service {
	return &service{
		name: Mojeek, origin: "https://api.mojeek.com", path: "/search",
		auth: func(key string, _ http.Header, q url.Values) { q.Set("api_key", key) },
		ask: func(text string, n int) (url.Values, any) {
			return url.Values{"q": {text}, "fmt": {"json"}, "t": {strconv.Itoa(n)}}, nil
		},
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Desc string }
			var a struct {
				Response struct {
					Status  string
					Results []hit
				}
			}
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			if s := a.Response.Status; s != "" && s != "OK" {
				return nil, errors.New("it says " + clip(s))
			}
			return results(a.Response.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Desc} }), nil
		},
	}
}

func marginalia() *service {
	return &service{
		name: Marginalia, origin: "https://api2.marginalia-search.com", path: "/search",
		auth: func(key string, h http.Header, _ url.Values) { h.Set("API-Key", key) },
		ask:  counted("query", "count"),
		read: func(b []byte) ([]Result, error) {
			type hit struct{ Title, URL, Description string }
			var a struct{ Results []hit }
			if err := json.Unmarshal(b, &a); err != nil {
				return nil, unlike(err)
			}
			return results(a.Results, func(h hit) Result { return Result{Title: h.Title, URL: h.URL, Snippet: h.Description} }), nil
		},
		hints: map[int]string{http.StatusServiceUnavailable: "the shared key is exhausted: ask Marginalia for one of your own"},
	}
}

func bearer(prefix string) func(string, http.Header, url.Values) {
	return func(key string, h http.Header, _ url.Values) { h.Set("Authorization", prefix+key) }
}

func counted(text, count string) func(string, int) (url.Values, any) {
	return func(q string, n int) (url.Values, any) { return url.Values{text: {q}, count: {strconv.Itoa(n)}}, nil }
}

func unlike(err error) error { return fmt.Errorf("its answer has another form than expected: %w", err) }

func results[T any](hits []T, one func(T) Result) []Result {
	out := make([]Result, 0, len(hits))
	for _, h := range hits {
		out = append(out, one(h))
	}
	return out
}
