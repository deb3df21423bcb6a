package fakemodel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

const ask = `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}],"input":[{"type":"message"}],"contents":[{"role":"user","parts":[{"text":"x"}]}]}`

var paths = []string{"/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1beta/models/m:streamGenerateContent", "/api/chat"}

func script(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// post sends one question, over HTTP or in process.
func post(ctx context.Context, c *http.Client, url, body string) (status int, text string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// both runs f against a server, and against the same Model in process.
func both(t *testing.T, text string, o Options, f func(t *testing.T, c *http.Client, url string, m *Model)) {
	t.Run("HTTP", func(t *testing.T) {
		srv, err := Start(script(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		c := &http.Client{Transport: &http.Transport{}}
		defer c.CloseIdleConnections()
		f(t, c, srv.URL, srv.Model)
	})
	t.Run("in process", func(t *testing.T) {
		m := New(script(t, text), o)
		f(t, &http.Client{Transport: m.Transport()}, "http://scripted.invalid", m)
	})
}

func TestEveryPathPlays(t *testing.T) {
	for _, path := range paths {
		both(t, `{"steps":[{"say":"hello","think":"hm","calls":[{"tool":"a","args":{"b":"c"}}],"chunk":2},{"say":"bye"}]}`, Options{}, func(t *testing.T, c *http.Client, url string, m *Model) {
			status, text, err := post(t.Context(), c, url+path, ask)
			if err != nil || status != 200 || !strings.Contains(text, "he") || !strings.Contains(text, `"a"`) {
				t.Errorf("%s: %d %s %v", path, status, text, err)
			}
			status, text, err = post(t.Context(), c, url+strings.Replace(path, "streamGenerate", "generate", 1), strings.Replace(ask, `"stream":true`, `"stream":false`, 1))
			if err != nil || status != 200 || !json.Valid([]byte(text)) || !strings.Contains(text, "bye") {
				t.Errorf("%s, not streamed: %d %s %v", path, status, text, err)
			}
			status, text, err = post(t.Context(), c, url+path, ask)
			if err != nil || status != 400 || !strings.Contains(text, "all 2 steps are played") {
				t.Errorf("%s, at the end: %d %s %v", path, status, text, err)
			}
			if got := m.Requests(); len(got) != 3 || got[0].Path != path || string(got[0].Body) != ask || m.Left() != 0 {
				t.Errorf("%d requests, %d steps left", len(got), m.Left())
			}
		})
	}
}

func TestFaultsStrike(t *testing.T) {
	for _, path := range paths {
		for fault, check := range map[string]func(status int, text string, err error) bool{
			"429": func(status int, _ string, err error) bool { return err == nil && status == 429 },
			"500": func(status int, _ string, err error) bool { return err == nil && status == 500 },
			"cut": func(status int, text string, err error) bool { return status == 200 && len(text) == 40 && err != nil },
			"stall": func(status int, text string, err error) bool {
				return len(text) == 40 && errors.Is(err, context.DeadlineExceeded)
			},
			"bad_utf8": func(status int, text string, err error) bool { return err == nil && strings.Contains(text, "\xff") },
		} {
			both(t, `{"steps":[{"say":"hello world","fault":"`+fault+`","at":40,"retry_after_s":2}]}`, Options{}, func(t *testing.T, c *http.Client, url string, _ *Model) {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				if status, text, err := post(ctx, c, url+path, ask); !check(status, text, err) {
					t.Errorf("%s %s: %d %q %v", path, fault, status, text, err)
				}
				if status, text, err := post(t.Context(), c, url+path, ask); err != nil || status != 200 || !strings.Contains(text, "hello world") {
					t.Errorf("%s after %s: %d %q %v", path, fault, status, text, err)
				}
			})
		}
	}
}

func TestKeyAndPath(t *testing.T) {
	both(t, `{"steps":[{"say":"x"}]}`, Options{Key: "k"}, func(t *testing.T, c *http.Client, url string, m *Model) {
		if status, _, err := post(t.Context(), c, url+paths[0], ask); err != nil || status != 401 || m.Left() != 1 {
			t.Errorf("%d %v", status, err)
		}
	})
	both(t, `{"steps":[{"say":"x"}]}`, Options{}, func(t *testing.T, c *http.Client, url string, m *Model) {
		for path, body := range map[string]string{"/nowhere": ask, paths[0]: "no JSON", paths[1]: "{}", paths[2]: "[]", paths[3]: "{}", paths[4]: "7"} {
			if status, _, err := post(t.Context(), c, url+path, body); err != nil || status < 400 || m.Left() != 1 {
				t.Errorf("%s: %d %v", path, status, err)
			}
		}
	})
}

func TestPieces(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		text := "grüße 😀 ok"
		if got := strings.Join(pieces(text, n), ""); got != text {
			t.Errorf("%d: %q", n, got)
		}
		for _, p := range pieces(text, n) {
			if strings.ToValidUTF8(p, "?") != p {
				t.Errorf("%d: %q is cut in a character", n, p)
			}
		}
	}
}

// TestWhatNoVendorTakes: a conversation whose calls and results do not fit is
// refused, and takes no step of the script.
func TestWhatNoVendorTakes(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{paths[0], `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}}]}]}`},
		{paths[0], `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}}]},{"role":"user","content":"y"}]}`},
		{paths[0], `{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`},
		{paths[0], `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`},
		{paths[0], `{"messages":[{"role":"user","content":"x"}]}`},
		{paths[0], `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"a b"}}]}`},
		{paths[1], `{"model":"m","input":[{"type":"function_call","call_id":"a"},{"type":"message","role":"user"}]}`},
		{paths[1], `{"model":"m","input":[{"type":"function_call_output","call_id":"a"}]}`},
		{paths[1], `{"model":"m","input":[{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"a"}]}`},
		{paths[2], `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
		{paths[2], `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":"x"}]}`},
		{paths[2], `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":""}]}]}`},
		{paths[2], `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"text","text":"y"},{"type":"tool_result","tool_use_id":"a"}]}]}`},
		{paths[3], `{"contents":[{"role":"model","parts":[{"text":"x"}]}]}`},
		{paths[3], `{"contents":[{"role":"user","parts":[]}]}`},
		{paths[3], `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b"}}]},{"role":"user","parts":[{"functionResponse":{"name":"a"}}]}]}`},
		{paths[4], `{"messages":[{"role":"user","content":"x"}]}`},
	} {
		m := New(script(t, `{"steps":[{"say":"x"}]}`), Options{})
		status, text, err := post(t.Context(), &http.Client{Transport: m.Transport()}, "http://m"+c.path, c.body)
		if err != nil || status != 400 || !strings.Contains(text, "no vendor takes this") || m.Left() != 1 {
			t.Errorf("%s took %s: %d %s %v", c.path, c.body, status, text, err)
		}
	}
}
