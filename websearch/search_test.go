package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

const testKey = "test-key-0123456789abcdef"

// answers are what each service's documentation shows, with one hit each that
// cannot be fetched.
var answers = map[string]string{
	SearXNG:    `{"results":[{"title":"T","url":"https://pub.example.com/a","content":"S","engine":"x"},{"title":"L","url":"http://127.0.0.1/","content":""}],"unresponsive_engines":[]}`,
	Brave:      `{"web":{"results":[{"title":"T","url":"https://pub.example.com/a","description":"S","age":"1d"},{"title":"L","url":"ftp://x/"}]}}`,
	Tavily:     `{"results":[{"title":"T","url":"https://pub.example.com/a","content":"S","score":0.9},{"url":"http://10.0.0.1/"}]}`,
	Exa:        `{"results":[{"title":"T","url":"https://pub.example.com/a","text":"S"},{"url":"javascript:x"}]}`,
	Kagi:       `{"data":[{"t":0,"title":"T","url":"https://pub.example.com/a","snippet":"S"},{"t":1,"list":["x"]}]}`,
	Mojeek:     `{"response":{"status":"OK","results":[{"title":"T","url":"https://pub.example.com/a","desc":"S"},{"url":""}]}}`,
	Marginalia: `{"results":[{"title":"T","url":"https://pub.example.com/a","description":"S"},{"url":"http://localhost/"}]}`,
}

func searching(t *testing.T, name string, h http.HandlerFunc, change ...func(*Options)) *stage {
	t.Helper()
	b, err := NewBackend(name, "https://search.example.com/base/", testKey)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, h, append(change, func(o *Options) { o.Backend = b; o.Secrets.Add(testKey) })...)
	s.answers["search.example.com"] = [][]string{{publicIP}}
	return s
}

func TestEveryServiceIsAskedAndRead(t *testing.T) {
	for name := range Services() {
		t.Run(name, func(t *testing.T) {
			var seen string
			s := searching(t, name, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				header, _ := json.Marshal(r.Header)
				seen = r.URL.String() + " " + string(body) + string(header)
				write(w, "application/json", answers[name])
			})
			got, err := s.web.Search(context.Background(), "  two\nwords ", 3)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0] != (Result{Title: "T", URL: "https://pub.example.com/a", Snippet: "S"}) {
				t.Errorf("%+v", got)
			}
			if !strings.HasPrefix(seen, "/base/") || !strings.Contains(seen, "two words") && !strings.Contains(seen, "two+words") {
				t.Errorf("asked %s", seen)
			}
			if strings.Contains(seen, testKey) != (name != SearXNG) {
				t.Errorf("the key: %s", seen)
			}
		})
	}
}

// A refusal is never an empty list, and never tells the key.
func TestRefusalsAreErrors(t *testing.T) {
	for name := range Services() {
		for what, h := range map[string]http.HandlerFunc{
			"bot page": func(w http.ResponseWriter, _ *http.Request) {
				write(w, "text/html", "<p class=anomaly-modal>are you human</p>")
			},
			"202": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) },
			"401": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
			"403": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) },
			"429": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
			"500": func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(500)
				_, _ = w.Write([]byte(r.URL.String()))
			},
			"redirect": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://f.example.com/", http.StatusFound)
			},
			"other form": func(w http.ResponseWriter, _ *http.Request) { write(w, "application/json", `[1,2]`) },
			"cut":        func(w http.ResponseWriter, _ *http.Request) { write(w, "application/json", `{"results":[`) },
			"hangs up":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			s := searching(t, name, h)
			got, err := s.web.Search(context.Background(), "x", 3)
			var failed *BackendError
			if !errors.As(err, &failed) || got != nil {
				t.Errorf("%s, %s: %v, %v", name, what, got, err)
				continue
			}
			if strings.Contains(err.Error(), testKey) {
				t.Errorf("%s, %s: the error tells the key: %v", name, what, err)
			}
		}
	}
}

func TestSearXNGWithoutEnginesIsAnError(t *testing.T) {
	s := searching(t, SearXNG, func(w http.ResponseWriter, _ *http.Request) {
		write(w, "application/json", `{"results":[],"unresponsive_engines":[["google","blocked"]]}`)
	})
	if _, err := s.web.Search(context.Background(), "x", 3); err == nil || !strings.Contains(err.Error(), "blocked") {
		t.Errorf("%v", err)
	}
}

func TestQueriesAreBoundedAndScanned(t *testing.T) {
	s := searching(t, SearXNG, func(http.ResponseWriter, *http.Request) { t.Error("nothing may be sent") })
	for _, text := range []string{"", " \n ", strings.Repeat("x", 401), "a\xff"} {
		if _, err := s.web.Search(context.Background(), text, 3); err == nil {
			t.Errorf("%.20q was sent", text)
		}
	}
	if q, err := s.web.PlanSearch("what is " + testKey); err != nil || len(q.Suspicious) == 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := s.web.PlanSearch("how to parse toml in go"); err != nil || len(q.Suspicious) > 0 || q.Host != "search.example.com" {
		t.Errorf("%+v, %v", q, err)
	}
	none := newStage(t, nil)
	if _, err := none.web.Search(context.Background(), "x", 1); !errors.Is(err, ErrNoBackend) {
		t.Errorf("%v", err)
	}
}

func TestTrustedHostsComeFirst(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) {
		write(w, "application/json", `{"results":[{"url":"https://a.example.org/"},{"url":"https://go.dev/x"},{"url":"https://b.example.org/"}]}`)
	}
	for mode, want := range map[Mode]string{Open: "a.g.b.", TrustedPreferred: "g.a.b.", TrustedOnly: "g."} {
		s := searching(t, SearXNG, h, func(o *Options) { o.Domains = Domains{mode, []string{"go.dev"}} })
		got, err := s.web.Search(context.Background(), "x", 5)
		order := ""
		for _, r := range got {
			order += strings.TrimPrefix(r.URL, "https://")[:1] + "."
		}
		if err != nil || order != want {
			t.Errorf("%v: %s, %v", mode, order, err)
		}
	}
}

func TestBackendsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ name, url, key, want string }{
		{"google", "", "", "must be one of"},
		{SearXNG, "", "", "web.search.url"},
		{Brave, "", "", "keys set brave"},
		{SearXNG, "ftp://x", "", "must be an address"},
		{SearXNG, "http://u:p@x", "", "must be an address"},
	} {
		if _, err := NewBackend(c.name, c.url, c.key); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
