package model

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostileKey is in every request of these tests, and may be in no error.
const hostileKey = "sk-hostile-0123456789abcdef"

// hostile asks a real server, over the guarded client, once.
func hostile(t *testing.T, h http.HandlerFunc, change func(*Config)) (Reply, *Error) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	defer srv.CloseClientConnections()
	cfg := Config{Provider: "openai-chat", BaseURL: srv.URL + "/v1", Key: NewKey(hostileKey), Tries: 1}
	if change != nil {
		change(&cfg)
	}
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}, nil)
	var e *Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v %#v", err, c.key), fmt.Sprintf("%+v", reply.Err)} {
		for n := range len(hostileKey) - 5 {
			if n > 2 && strings.Contains(text, hostileKey[:n+6]) {
				t.Errorf("a part of the key is in %q", text)
				break
			}
		}
	}
	return reply, e
}

func write(w http.ResponseWriter, kind, body string) {
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, body) // the client may be gone
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// TestHostileReplies: whatever a server answers, the request ends, nothing of
// it is a call that may run unless it is whole, and the error says why.
func TestHostileReplies(t *testing.T) {
	const sse = "text/event-stream"
	deep := strings.Repeat("[", 200_000)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20)) // a buffer takes everything
	}
	_ = z.Close()
	for _, c := range []struct {
		name   string
		class  Class // empty: no error
		answer http.HandlerFunc
	}{
		{"a web page as such", ClassBadRequest, func(w http.ResponseWriter, _ *http.Request) {
			write(w, "text/html; charset=utf-8", "<html>log in</html>")
		}},
		{"a web page that claims to be JSON", ClassServer, func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", "<!doctype html><html>log in</html>")
		}},
		{"a web page that claims to be a stream", ClassServer, func(w http.ResponseWriter, _ *http.Request) {
			write(w, sse, "<!doctype html>\n<html>log in</html>\n\n")
		}},
		{"an image", ClassServer, func(w http.ResponseWriter, _ *http.Request) { write(w, "image/png", "\x89PNG\r\n\x1a\n\x00\x00") }},
		{"nothing at all", ClassStreamTruncated, func(w http.ResponseWriter, _ *http.Request) { write(w, sse, "") }},
		{"values that nest without end", ClassServer, func(w http.ResponseWriter, _ *http.Request) { write(w, sse, "data: {\"choices\":"+deep+"\n\n") }},
		{"arguments that nest without end", "", func(w http.ResponseWriter, _ *http.Request) {
			write(w, sse, call("read_file", `{"path":`+deep+strings.Repeat("]", len(deep))+`}`))
		}},
		{"a gzip bomb", ClassServer, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			write(w, sse, bomb.String())
		}},
		{"compressed, and silent about it", ClassServer, func(w http.ResponseWriter, _ *http.Request) { write(w, sse, bomb.String()) }},
		{"an error with the key, cut in its middle", ClassAuth, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, `{"error":{"message":"`+strings.Repeat("x", 290)+hostileKey+`"}}`)
		}},
		{"an error with the key in other spellings", ClassAuth, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, `{"error":{"message":"`+base64.StdEncoding.EncodeToString([]byte(hostileKey))+" "+url.QueryEscape(hostileKey)+` sk\u002dhostile-0123456789abcdef"}}`)
		}},
		{"an error in the stream with the key", ClassServer, func(w http.ResponseWriter, _ *http.Request) {
			write(w, sse, `data: {"error":{"message":"bad `+hostileKey+`"}}`+"\n\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply, e := hostile(t, c.answer, nil)
			got := Class("")
			if e != nil {
				got = e.Class
			}
			if got != c.class && !(c.class == ClassServer && got == ClassStreamTruncated) {
				t.Errorf("%q, want %q: %v", got, c.class, e)
			}
			if len(runnable(reply)) > 0 {
				t.Errorf("a call may run: %+v", reply.Calls)
			}
			if c.class != "" && (e.Message == "" || strings.ContainsAny(e.Message, "\n\x1b\x00") || len(e.Message) > 2000) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

// TestRedirectsAreNotFollowed: not to another origin, not to this one with
// another path, and the body and the key go nowhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	heard := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard <- r.URL.Path }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{other.URL + "/stolen", "/elsewhere", "//" + strings.TrimPrefix(other.URL, "http://") + "/stolen", "file:///etc/passwd"} {
			asked := 0
			_, e := hostile(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			}, nil)
			if e == nil || e.Class != ClassBadRequest || asked != 1 {
				t.Errorf("%d to %s: asked %d times, %v", status, to, asked, e)
			}
		}
	}
	if len(heard) > 0 {
		t.Errorf("the other server was asked: %s", <-heard)
	}
}

// TestDripEnds: a server that always sends a little, so that it is never idle,
// is ended all the same; and one that drips its headers.
func TestDripEnds(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for r.Context().Err() == nil {
			write(w, "text/event-stream", ": still here\n\n")
			time.Sleep(5 * time.Millisecond)
		}
	}
	_, e := hostile(t, drip, func(c *Config) { c.Whole = 200 * time.Millisecond })
	if e == nil || e.Retryable || !strings.Contains(e.Message, "did not end within") {
		t.Errorf("%v", e)
	}
}

// TestTheEndIsTheEnd: a server that keeps the connection open behind its end
// marker, silent or not, is not waited for.
func TestTheEndIsTheEnd(t *testing.T) {
	for _, more := range []string{"", chunk(`{"content":" and more"}`)} {
		reply, e := hostile(t, func(w http.ResponseWriter, r *http.Request) {
			write(w, "text/event-stream", say("hi"))
			for r.Context().Err() == nil {
				write(w, "text/event-stream", more)
				time.Sleep(5 * time.Millisecond)
			}
		}, func(c *Config) { c.Idle, c.Whole = time.Hour, time.Hour })
		if e != nil || reply.Text != "hi" {
			t.Errorf("%q: %v", reply.Text, e)
		}
	}
}

// TestSillyNumbers: counts and waits that no honest server sends.
func TestSillyNumbers(t *testing.T) {
	for _, usage := range []string{
		`{"prompt_tokens":-5,"completion_tokens":-1}`, `{"prompt_tokens":1e300,"completion_tokens":"NaN"}`,
		`{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":999999999}}`,
		`{"prompt_tokens":"12","completion_tokens":null}`, `{"prompt_tokens":{},"completion_tokens":[]}`,
	} {
		reply, e := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
			write(w, "text/event-stream", chunk(`{"content":"hi"}`)+`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":`+usage+"}\n\ndata: [DONE]\n\n")
		}, nil)
		if e != nil {
			t.Errorf("%s: %v", usage, e)
			continue
		}
		if u := reply.Usage; u != nil && (u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Reasoning < 0) {
			t.Errorf("%s: %+v", usage, *u)
		}
		info := Info{Prices: &Prices{Input: 3_000_000, Output: 15_000_000, CacheRead: new(int64)}}
		if cost, known := info.Cost(reply.Usage); known && cost < 0 {
			t.Errorf("%s costs %d", usage, cost)
		}
	}
	for _, after := range []string{"999999999", "1e400", "-5", "NaN", "Inf", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", strings.Repeat("9", 5000)} {
		began := time.Now()
		_, e := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(429)
		}, func(c *Config) { c.Tries = 1 })
		if e == nil || e.Class != ClassRateLimit || e.RetryAfter != nil && *e.RetryAfter < 0 {
			t.Errorf("%.40s: %+v", after, e)
		}
		if again, wait := newTries(5, 0).next(e, progress{}); again && wait > obeyAtMost {
			t.Errorf("%.40s: waits %s", after, wait)
		}
		if time.Since(began) > time.Minute {
			t.Errorf("%.40s was waited for", after)
		}
	}
}

// TestHostileDiscovery: a listener on one of the usual ports lies about what it
// is. What is found is bounded and can be shown, and the look ends.
func TestHostileDiscovery(t *testing.T) {
	many := strings.Repeat(`{"name":"m"},`, 100_000)
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"escape sequences": func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"version":"\u001b]52;c;x\u0007","models":[{"name":"a\u001b[2Jb"},{"name":"good","digest":"\u202e"}]}`)
		},
		"a million models": func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"version":"1","models":[`+many+`{"name":"m"}]}`)
		},
		"no end":  func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, endless{}) },
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"nesting": func(w http.ResponseWriter, _ *http.Request) { write(w, "application/json", strings.Repeat("[", 1<<20)) },
		"sizes out of range": func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"version":"1","models":[{"name":"m","size":-1}],"model_info":{"x.context_length":1e300,"x.block_count":1e18,"x.attention.head_count_kv":1e18,"x.attention.key_length":1e18}}`)
		},
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://203.0.113.9/")
			w.WriteHeader(302)
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(answer))
			defer srv.Close()
			defer srv.CloseClientConnections()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			found, err := Discover(t.Context(), Discovery{Addresses: []string{srv.URL}, Only: true, Timeout: 300 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			for _, f := range found {
				if len(f.Models) > maxFound || printable(f.Version) != f.Version {
					t.Errorf("%d models, version %q", len(f.Models), f.Version)
				}
				for _, m := range f.Models {
					if m.Name == "" || printable(m.Name) != m.Name || printable(m.Digest) != m.Digest || m.Size < 0 || m.MaxWindow < 0 || m.TokenBytes < 0 {
						t.Errorf("%+v", m)
					}
				}
			}
			if grown := after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc); grown > 256<<20 {
				t.Errorf("%d MB more in use", grown>>20)
			}
		})
	}
}

// TestList: what providers say of their models, in the spellings they have.
func TestList(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"router":  {`{"data":[{"id":"a/b","context_length":200000,"top_provider":{"max_completion_tokens":64000},"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"3e-7"},"architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools","reasoning"]}]}`, "a/b 200000 64000 img think tools 3000000/15000000/300000"},
		"ids":     {`{"object":"list","data":[{"id":"x","object":"model"}]}`, "x 0 0"},
		"list":    {`[{"id":"t","context_length":8192,"pricing":{"input":0.88,"output":0.88}}]`, "t 8192 0 880000/880000/-"},
		"gemini":  {`{"models":[{"name":"models/g","inputTokenLimit":1000000,"outputTokenLimit":65536}]}`, "g 1000000 65536"},
		"mistral": {`{"data":[{"id":"m","max_context_length":32768,"capabilities":{"function_calling":false,"vision":true}}]}`, "m 32768 0 img no-tools"},
		"odd":     {`{"data":[{"id":"e","pricing":{"prompt":"1e999999999","completion":"1"}},{"id":"n","pricing":{"prompt":"-1","completion":"-1"}},{"id":"v\u001b[2J"},{"id":""}]}`, "e 0 0, n 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := parseList("p", []byte(c.body), "2026-01-02")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range list {
				got = append(got, describeInfo(i))
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
	for _, bad := range []string{"", "{}", "<html>", `{"data":[]}`, `{"data":` + strings.Repeat("[", 100_000)} {
		if list, err := parseList("p", []byte(bad), ""); err == nil {
			t.Errorf("%.40q: %d models", bad, len(list))
		}
	}
	_, e := List(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401); _, _ = io.WriteString(w, hostileKey) })
	if e == nil || strings.Contains(e.Error(), hostileKey) {
		t.Errorf("%v", e)
	}
}

// List asks a server of the test for its models.
func List(t *testing.T, h http.HandlerFunc) ([]Info, error) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	c, err := Open(Config{Provider: "openai-chat", BaseURL: srv.URL + "/v1", Key: NewKey(hostileKey)})
	if err != nil {
		t.Fatal(err)
	}
	return c.List(context.WithoutCancel(t.Context()), "2026-01-02")
}

func describeInfo(i Info) string {
	text := fmt.Sprintf("%s %d %d", i.Model, i.Context, i.MaxOutput)
	if i.Images {
		text += " img"
	}
	if i.Reasoning {
		text += " think"
	}
	if i.Tools != nil && *i.Tools {
		text += " tools"
	}
	if i.Tools != nil && !*i.Tools {
		text += " no-tools"
	}
	if p := i.Prices; p != nil {
		read := "-"
		if p.CacheRead != nil {
			read = fmt.Sprint(*p.CacheRead)
		}
		text += fmt.Sprintf(" %d/%d/%s", p.Input, p.Output, read)
	}
	return text
}

// TestProbedAsksOnce: the question goes out before the first request with
// tools, its answer counts and is kept; one without tools asks nothing.
func TestProbedAsksOnce(t *testing.T) {
	tr := &answers{statuses: []int{200, 200, 200, 200}, bodies: []string{say("plain"), say("I can not."), say("hello"), say("again")}}
	kept := map[string]ToolMode{}
	p := NewProbed(client(t, tr), nil, func(m string, mode ToolMode) error { kept[m] = mode; return nil })
	var told []string
	hear := func(d Delta) {
		if d.Kind == DeltaWarning {
			told = append(told, d.Text)
		}
	}
	if _, err := p.Complete(t.Context(), Request{Model: "m", Messages: []Message{UserText("x")}}, hear); err != nil || len(tr.sent) != 1 {
		t.Fatalf("%d requests, %v", len(tr.sent), err)
	}
	req := Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("PRIVATE")}}
	reply, err := p.Complete(t.Context(), req, hear)
	if err != nil || len(tr.sent) != 3 || kept["m"] != ToolsNone || reply.Text != "hello" {
		t.Fatalf("%d requests, kept %v, %+v, %v", len(tr.sent), kept, reply, err)
	}
	if !strings.Contains(tr.sent[1], "echo_check") || strings.Contains(tr.sent[1], "PRIVATE") {
		t.Errorf("the question holds what is the person's: %s", tr.sent[1])
	}
	if !strings.Contains(tr.sent[2], "You can call these tools") || strings.Contains(tr.sent[2], `"tools"`) {
		t.Errorf("tools are not described: %s", tr.sent[2])
	}
	if got := strings.Join(told, " "); got != strings.Join([]string{WarnProbing, WarnNoTools, WarnTextTools}, " ") {
		t.Errorf("told %s", got)
	}
	if _, err := p.Complete(t.Context(), req, hear); err != nil || len(tr.sent) != 4 {
		t.Errorf("asked again: %d requests, %v", len(tr.sent), err)
	}
	known := &answers{statuses: []int{200}, bodies: []string{say("x")}}
	if _, err := NewProbed(client(t, known), map[string]ToolMode{"m": ToolsNative}, nil).Complete(t.Context(), req, nil); err != nil || len(known.sent) != 1 || !strings.Contains(known.sent[0], `"tools"`) {
		t.Errorf("what is known is asked again: %d, %v", len(known.sent), err)
	}
	down := &answers{statuses: []int{401}, bodies: []string{`{}`}}
	if _, err := NewProbed(client(t, down), nil, nil).Complete(t.Context(), req, nil); err == nil || len(down.sent) != 1 {
		t.Errorf("a refused key: %v", err)
	}
}

// TestWaitingForTheProbeCanBeStopped: a request that waits until another one has
// found out how the model calls tools is stopped like any other.
func TestWaitingForTheProbeCanBeStopped(t *testing.T) {
	p := NewProbed(client(t, &answers{}), nil, nil)
	p.turn <- struct{}{} // the other one's server does not answer
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.Complete(ctx, Request{Model: "m", Tools: []ToolSpec{{Name: "x"}}}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
