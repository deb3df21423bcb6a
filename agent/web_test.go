package agent

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/websearch"
)

// internet is all of the outside world: every public address is its one
// server, every name is known, and it keeps all that it was asked.
type internet struct {
	mu     sync.Mutex
	asked  []string // names that were looked up
	sent   []string // requests, with their bodies
	answer http.HandlerFunc
}

// LookupNetIP implements netguard.Resolver.
func (w *internet) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, host)
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

func (w *internet) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.sent = append(w.sent, r.Method+" "+r.Host+r.URL.String()+" "+string(body))
	w.mu.Unlock()
	if w.answer != nil {
		w.answer(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "text/plain")
	_, _ = fmt.Fprint(rw, "a page of "+r.Host)
}

// all is everything that was seen outside.
func (w *internet) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.asked, "\n") + "\n" + strings.Join(w.sent, "\n")
}

// web makes what reads this internet.
func (w *internet) web(t testing.TB, redactor *secret.Redactor) *websearch.Web {
	t.Helper()
	srv := httptest.NewServer(w)
	t.Cleanup(srv.Close)
	backend, err := websearch.NewBackend(websearch.SearXNG, "http://search.example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := websearch.New(websearch.Options{
		Domains: websearch.Domains{Mode: websearch.Open}, Secrets: redactor, Backend: backend,
		Net: netguard.Options{
			Resolver: w, Interfaces: func() ([]netip.Addr, error) { return nil, nil },
			Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, "tcp", srv.Listener.Addr().String())
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// online gives a rig the web.
func online(o *Options) { o.Tools = tool.New(tool.Options{Fetch: true, Search: true}) }

// searchAnswer is what a search service says.
func searchAnswer(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(rw, `{"results":[{"title":"A title","url":"https://a.example.org/","content":"words"}]}`)
}

func fetchCall(url string) call {
	return call{"web_fetch", map[string]any{"url": url, "reason": "to read it"}}
}

func TestAFetchIsAskedAboutBeforeAnythingLeaves(t *testing.T) {
	w := &internet{}
	r := newRig(t, []step{{Say: "x", Calls: []call{fetchCall("http://docs.example.org/page")}}, {Say: "done"}}, online)
	r.internet = w
	var asked event.Question
	r.person = func(q event.Question) event.Answer {
		asked = q
		if out := w.all(); out != "\n" {
			t.Errorf("before the yes the world saw %q", out)
		}
		return yes(q)
	}
	r.start("")
	r.turn("go")
	r.stop()
	text := ""
	for _, l := range asked.Lines {
		text += l.Text + "\n"
	}
	for _, want := range []string{"http://docs.example.org/page", "docs.example.org port 80  GET", "to read it"} {
		if !strings.Contains(text, want) {
			t.Errorf("the question lacks %q:\n%s", want, text)
		}
	}
	res := r.results()[0]
	if res.Status != "ok" || res.Untrusted != "web" || res.Boundary == "" || !strings.Contains(res.Body, "a page of docs.example.org") {
		t.Errorf("%+v", res)
	}
	var left []event.Egress
	tainted := false
	for _, e := range r.events {
		switch b := e.Body.(type) {
		case event.Egress:
			left = append(left, b)
		case event.Tainted:
			tainted = tainted || b.Source == "web"
		}
	}
	if len(left) != 1 || left[0].Door != "web" || left[0].Host != "docs.example.org:80" || left[0].Address == "" || left[0].Status != "ok" || !tainted {
		t.Errorf("egress %+v, tainted %v", left, tainted)
	}
	r.verify()
}

// A redirect to another host is a new question, which names the host and is a
// raised one.
func TestARedirectIsANewQuestion(t *testing.T) {
	w := &internet{answer: func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "first.") {
			http.Redirect(rw, r, "http://second.example.org/", http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(rw, "the second page")
	}}
	const rule = "[[host]]\nhost = [\"first.example.org\"]\ndecision = \"allow\"\n"
	r := newRig(t, []step{
		{Say: "x", Calls: []call{fetchCall("http://first.example.org/")}},
		{Say: "y", Calls: []call{fetchCall("http://second.example.org/")}},
		{Say: "done"},
	}, func(o *Options) { online(o); o.Rules = mustRules(t, rule) })
	r.internet = w
	var raised []bool
	r.person = func(q event.Question) event.Answer {
		raised = append(raised, q.Raised)
		return event.Answer{Choice: event.Deny}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if len(raised) != 1 || !raised[0] {
		t.Errorf("questions: %v", raised)
	}
	if strings.Contains(w.all(), "second") {
		t.Errorf("the second host was reached: %s", w.all())
	}
	if res := r.results(); !strings.Contains(res[0].Body, "http://second.example.org/") {
		t.Errorf("%s", res[0].Body)
	}
}

func TestASearchIsAskedAboutWithItsWords(t *testing.T) {
	w := &internet{answer: searchAnswer}
	r := newRig(t, []step{{Say: "x", Calls: []call{{"web_search", map[string]any{"query": "how to sort"}}}}, {Say: "done"}}, online)
	r.internet = w
	r.person = func(q event.Question) event.Answer {
		if !strings.Contains(fmt.Sprint(q.Lines), "how to sort") || w.all() != "\n" {
			t.Errorf("%v; seen %q", q.Lines, w.all())
		}
		return yes(q)
	}
	r.start("")
	r.turn("go")
	r.stop()
	res := r.results()[0]
	if res.Status != "ok" || res.Untrusted != "web" || !strings.Contains(res.Body, "https://a.example.org/") {
		t.Errorf("%+v", res)
	}
}

// Nobody there: nothing leaves, not even a look-up, and the ledger names the
// rule that would allow it.
func TestNobodyAskedNothingLeaves(t *testing.T) {
	for _, optOut := range []bool{false, true} {
		w := &internet{}
		r := newRig(t, []step{{Say: "x", Calls: []call{
			fetchCall("http://docs.example.org/"), {"web_search", map[string]any{"query": "x"}},
		}}, {Say: "done"}}, func(o *Options) {
			online(o)
			o.Front, o.CanAsk, o.Interactive, o.OptOut = audit.FrontRun, false, false, optOut
		})
		r.internet = w
		r.start("")
		r.turn("go")
		r.stop()
		for _, e := range r.events {
			if d, ok := e.Body.(event.CallDecided); ok && (d.Decision == "allowed" || !strings.Contains(d.Allow, "[[host]]")) {
				t.Errorf("opt-out %v: %+v", optOut, d)
			}
		}
		if w.all() != "\n" {
			t.Errorf("opt-out %v: the world saw %q", optOut, w.all())
		}
	}
}
