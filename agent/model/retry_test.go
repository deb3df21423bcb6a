package model

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answers is a transport that gives the next of its bodies, and notes when it
// was asked.
type answers struct {
	statuses []int
	bodies   []string
	header   http.Header
	at       []time.Time
	sent     []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.sent = append(a.sent, string(body))
	n := min(len(a.at), len(a.statuses)-1)
	a.at = append(a.at, time.Now())
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{StatusCode: a.statuses[n], Header: h, Body: io.NopCloser(strings.NewReader(a.bodies[min(n, len(a.bodies)-1)])), Request: r}, nil
}

func client(t *testing.T, tr http.RoundTripper) *Client {
	t.Helper()
	c, err := Open(Config{Provider: "openai-chat", BaseURL: "http://127.0.0.1:1/v1", Key: NewKey("sk-secret"), Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t *testing.T, c *Client) (Reply, error) {
	t.Helper()
	return c.Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}, nil)
}

func TestRetryPolicy(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		header string
		tries  int
		least  time.Duration
		most   time.Duration
	}{
		{"server errors back off", 500, "{}", "", 5, 0, 7500 * time.Millisecond},
		{"retry-after is obeyed", 429, "{}", "9", 5, 36 * time.Second, 36 * time.Second},
		{"a long retry-after is the user's to wait for", 429, "{}", "121", 1, 0, 0},
		{"a bad request is not repeated", 400, "{}", "", 1, 0, 0},
		{"a refused key is not repeated", 401, "{}", "", 1, 0, 0},
		{"a spent quota is not repeated", 429, `{"error":{"code":"insufficient_quota"}}`, "1", 1, 0, 0},
		{"a cut stream without a call is", 200, chunk(`{"content":"hal"}`), "", 5, 0, 7500 * time.Millisecond},
		{"a cut stream with a whole call is not", 200, chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]}`), "", 1, 0, 0},
		{"an error after text is not", 200, chunk(`{"content":"hal"}`) + `data: {"error":{"code":500,"message":"x"}}` + "\n\n", "", 1, 0, 0},
		{"an error before text is", 200, `data: {"error":{"code":500,"message":"x"}}` + "\n\n", "", 5, 0, 7500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &answers{statuses: []int{c.status}, bodies: []string{c.body}, header: http.Header{"Retry-After": {c.header}}}
				start := time.Now()
				reply, err := ask(t, client(t, tr))
				took := time.Since(start)
				if err == nil || len(tr.at) != c.tries || took < c.least || took > c.most {
					t.Errorf("%d tries in %s: %v", len(tr.at), took, err)
				}
				invariants(t, reply)
			})
		})
	}
}

// TestLoading waits for a local server that still loads its model.
func TestLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		statuses := make([]int, 30)
		for i := range statuses {
			statuses[i] = 503
		}
		tr := &answers{statuses: append(statuses, 200), bodies: append(strings.Split(strings.Repeat(`{"error":{"message":"Loading model"}}|`, 30), "|")[:30], say("hi"))}
		start := time.Now()
		reply, err := ask(t, client(t, tr))
		if err != nil || reply.Text != "hi" || time.Since(start) != time.Minute {
			t.Errorf("%q %v after %s", reply.Text, err, time.Since(start))
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &answers{statuses: []int{500, 500, 500, 500, 500, 500, 200}, bodies: []string{"{}", "{}", "{}", "{}", "{}", "{}", say("hi")}}
		c := client(t, tr)
		if _, err := ask(t, c); err == nil || len(tr.at) != 5 {
			t.Fatal(len(tr.at), err)
		}
		_, err := ask(t, c)
		var e *Error
		if !errors.As(err, &e) || len(tr.at) != 5 || e.RetryAfter == nil || !strings.Contains(e.Hint, "another model") {
			t.Errorf("the way is not closed: %v", err)
		}
		time.Sleep(breakerOpen)
		if _, err = ask(t, c); err == nil || len(tr.at) != 6 {
			t.Errorf("one probe: %d requests, %v", len(tr.at), err)
		}
		time.Sleep(breakerOpen)
		if reply, err := ask(t, c); err != nil || reply.Text != "hi" {
			t.Errorf("after the server is well: %v", err)
		}
	})
}

// TestAdapts: a model without tools gets them described, and its prose is read;
// one whose template takes no system role gets none. Both are remembered.
func TestAdapts(t *testing.T) {
	tr := &answers{
		statuses: []int{400, 400, 200},
		bodies: []string{
			`{"error":"m does not support tools"}`,
			`{"error":{"message":"Conversation roles must alternate user/assistant"}}`,
			say(`<tool_call>{"name":"read_file","arguments":{"path":"x"}}</tool_call>`),
		},
	}
	c := client(t, tr)
	req := Request{Model: "m", System: "Be short.", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("one"), UserText("two"),
		{Role: RoleAssistant, Parts: []Part{{Kind: PartCall, CallID: "c", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}},
		ToolResult("c", "read_file", "[result tool=read_file status=ok decision=allowed]\nhay", false)}}
	reply, err := c.Complete(t.Context(), req, nil)
	if err != nil || len(reply.Calls) != 1 || reply.Calls[0].Origin != OriginText || reply.Warnings[0] != WarnTextTools {
		t.Fatalf("%+v %v", reply, err)
	}
	last := tr.sent[2]
	if strings.Contains(last, `"tools"`) || strings.Contains(last, `"system"`) || strings.Contains(last, `"tool"`) || !strings.Contains(last, "read_file: Reads a file.") || !strings.Contains(last, "Result of read_file") {
		t.Errorf("sent %s", last)
	}
	if strings.Count(last, `"role":"user"`) != 2 {
		t.Errorf("roles do not alternate: %s", last)
	}
	if _, err := c.Complete(t.Context(), req, nil); err != nil || tr.sent[3] != last {
		t.Errorf("what was learnt is forgotten: %v", err)
	}
}
