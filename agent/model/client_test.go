package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// endpoints are the providers that speak the five protocols, and where they
// look for them below a fake model's URL.
var endpoints = map[string]string{"openai-chat": "/v1", "openai": "/v1", "anthropic": "", "gemini": "/v1beta", "ollama": ""}

func play(t *testing.T, script string) (*fakemodel.Server, func(provider string, change func(*Config)) *Client) {
	t.Helper()
	s, err := scenario.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := fakemodel.Start(s, fakemodel.Options{Cwd: "/w", Key: "sk-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv, func(provider string, change func(*Config)) *Client {
		t.Helper()
		cfg := Config{Provider: provider, BaseURL: srv.URL + endpoints[provider], Key: NewKey("sk-secret")}
		if change != nil {
			change(&cfg)
		}
		c, err := Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

var readTool = ToolSpec{Name: "read_file", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`)}

// TestConversation leads the same conversation over real HTTP in every
// protocol: reasoning, text, two calls, their results, and an end.
func TestConversation(t *testing.T) {
	const script = `{"steps":[
		{"think":"Let me see.","say":"I look at grüße.","calls":[{"tool":"read_file","args":{"path":"{cwd}/a"}},{"tool":"read_file","args":{"path":"b"}}],"chunk":3},
		{"when":{"tool":"read_file","decision":"approved","contains":"needle"},"say":"Found."},
		{"say":"Not found."}]}`
	for provider := range endpoints {
		t.Run(provider, func(t *testing.T) {
			srv, open := play(t, script)
			c := open(provider, nil)
			req := Request{Model: "m", System: "Be short.", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("find it")}}
			var shown [2]strings.Builder
			reply, err := c.Complete(t.Context(), req, func(d Delta) {
				switch d.Kind {
				case DeltaText:
					shown[0].WriteString(d.Text)
				case DeltaReasoning:
					shown[1].WriteString(d.Text)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			invariants(t, reply)
			want := "thought \"Let me see.\"\ntext \"I look at grüße.\"\ncall read_file {\"path\":\"/w/a\"} ok native\ncall read_file {\"path\":\"b\"} ok native\nstop tool_calls"
			if got, _, _ := strings.Cut(summary(reply), "\nusage"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if shown[0].String() != reply.Text || shown[1].String() != reply.Reasoning {
				t.Errorf("shown: %q, %q", shown[0].String(), shown[1].String())
			}
			if reply.Usage == nil || reply.Usage.Input == 0 || reply.Provider != provider {
				t.Errorf("usage %+v of %q", reply.Usage, reply.Provider)
			}
			req.Messages = append(req.Messages, reply.Message(),
				ToolResult(reply.Calls[0].ID, "read_file", "[result tool=read_file status=ok decision=approved]\nhay, a needle", false),
				ToolResult(reply.Calls[1].ID, "read_file", "[result tool=read_file status=ok decision=approved]\nhay", false))
			reply, err = c.Complete(t.Context(), req, nil)
			if err != nil || reply.Text != "Found." || reply.Stop != StopEnd {
				t.Errorf("%+v, %v", reply, err)
			}
			if srv.Left() != 1 {
				t.Errorf("%d steps are left", srv.Left())
			}
		})
	}
}

// TestFaults plays every fault in every protocol: what may be tried again is,
// and the reply comes in the end; text after a cut counts once.
func TestFaults(t *testing.T) {
	for provider := range endpoints {
		for _, fault := range []string{"429", "500", "cut"} {
			t.Run(provider+" "+fault, func(t *testing.T) {
				_, open := play(t, fmt.Sprintf(`{"steps":[{"say":"All is well that ends well.","fault":%q,"chunk":5}]}`, fault))
				retries := 0
				reply, err := open(provider, nil).Complete(t.Context(), Request{Model: "m", Messages: []Message{UserText("x")}}, func(d Delta) {
					if d.Kind == DeltaRetry {
						retries++
					}
				})
				if err != nil || reply.Text != "All is well that ends well." || retries != 1 {
					t.Errorf("%q, %v, %d retries", reply.Text, err, retries)
				}
			})
		}
		t.Run(provider+" stall", func(t *testing.T) {
			_, open := play(t, `{"steps":[{"say":"All is well that ends well.","fault":"stall","chunk":5}]}`)
			c := open(provider, func(c *Config) { c.Idle = 50 * time.Millisecond })
			reply, err := c.Complete(t.Context(), Request{Model: "m", Messages: []Message{UserText("x")}}, nil)
			if err != nil || reply.Text != "All is well that ends well." {
				t.Errorf("%q, %v", reply.Text, err)
			}
		})
		t.Run(provider+" bad UTF-8", func(t *testing.T) {
			_, open := play(t, `{"steps":[{"calls":[{"tool":"read_file","args":{"path":"abc"}}],"fault":"bad_utf8"}]}`)
			reply, err := open(provider, nil).Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}, nil)
			if err != nil || len(reply.Calls) != 1 || reply.Calls[0].Status == CallOK {
				t.Errorf("%+v, %v", reply.Calls, err)
			}
		})
		t.Run(provider+" cut with a whole call", func(t *testing.T) {
			_, open := play(t, `{"steps":[{"say":"x","calls":[{"tool":"read_file","args":{"path":"abc"}},{"tool":"read_file","args":{"path":"def"}}],"fault":"cut","at":1}]}`)
			reply, err := open(provider, func(c *Config) { c.Tries = 1 }).Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}, nil)
			var e *Error
			if !errors.As(err, &e) || e.Class != ClassStreamTruncated || len(runnable(reply)) > 0 {
				t.Errorf("%+v, %v", reply.Calls, err)
			}
		})
	}
}

// TestCancel ends a request that stalls, at once and without another try.
func TestCancel(t *testing.T) {
	_, open := play(t, `{"steps":[{"say":"a b c","fault":"stall","at":120}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	time.AfterFunc(50*time.Millisecond, func() { cancelled = time.Now(); cancel() })
	_, err := open("openai-chat", nil).Complete(ctx, Request{Model: "m", Messages: []Message{UserText("x")}}, nil)
	if !errors.Is(err, context.Canceled) || time.Since(cancelled) > 200*time.Millisecond {
		t.Errorf("%v, %s after the cancel", err, time.Since(cancelled))
	}
}

// TestPrefix: the bytes of a turn's request begin those of the next turn's, so
// that servers can keep what they have read. Anthropic's marks move, and are
// left out of the comparison.
func TestPrefix(t *testing.T) {
	first := Request{Model: "m", System: "s", Tools: []ToolSpec{{Name: "b"}, readTool}, Messages: []Message{UserText("one")}}
	second := first
	second.Messages = append(second.Messages[:1:1],
		Message{Role: RoleAssistant, Parts: []Part{{Kind: PartText, Text: "two"}, {Kind: PartCall, CallID: "c1", Name: "b", Args: json.RawMessage(`{}`)}}},
		ToolResult("c1", "b", "three", false))
	for _, p := range Presets() {
		var bodies []string
		for _, req := range []Request{first, second} {
			_, _, body, err := p.Protocol.adapter().request(req, settings{preset: p})
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, strings.ReplaceAll(string(body), `,"cache_control":{"type":"ephemeral"}`, ""))
		}
		open := strings.TrimRight(bodies[0], "}]")
		if !strings.HasPrefix(bodies[1], open) || !json.Valid([]byte(bodies[1])) {
			t.Errorf("%s:\n%s\nis no beginning of\n%s", p.ID, bodies[0], bodies[1])
		}
	}
}

// TestOpaqueGoesBack: signatures return to the provider and model that made
// them, byte for byte and in place, and to no other.
func TestOpaqueGoesBack(t *testing.T) {
	for _, c := range []struct{ protocol, provider, kind, want string }{
		{"anthropic-sse", "anthropic", opaqueSignature, `{"type":"thinking","thinking":"hm","signature":"S+/="},{"type":"tool_use","id":"t"`},
		{"gemini-sse", "gemini", opaqueThought, `{"functionCall":{"name":"read","args":{"path":"x"}},"thoughtSignature":"S+/="}`},
		{"openai-responses-sse", "openai", opaqueReasoning, `{"type":"reasoning","id":"r","summary":[],"encrypted_content":"S+/="},{"type":"function_call","call_id":"t"`},
	} {
		parts := []Part{{Kind: PartReasoning, Text: "hm"}, {Kind: PartOpaque, Opaque: &Opaque{Kind: c.kind, ID: "r", Value: "S+/=", Provider: c.provider, Model: "m"}}, {Kind: PartCall, CallID: "t", Name: "read", Args: json.RawMessage(`{"path":"x"}`)}}
		if c.provider == "gemini" {
			parts[1], parts[2] = parts[2], parts[1]
		}
		req := Request{Model: "m", Messages: []Message{UserText("x"), {Role: RoleAssistant, Parts: parts}}}
		var sent []byte
		spy := roundTripper(func(r *http.Request) (*http.Response, error) {
			var err error
			if sent, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			return nil, errors.New("only looking")
		})
		cl, err := Open(Config{Provider: c.provider, Key: NewKey("k"), Transport: spy, Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = cl.Complete(t.Context(), req, nil)
		if !bytes.Contains(sent, []byte(c.want)) {
			t.Errorf("%s sent %s", c.provider, sent)
		}
		req.Model = "another"
		_, _ = cl.Complete(t.Context(), req, nil)
		if bytes.Contains(sent, []byte("S+/=")) {
			t.Errorf("%s sent the block to another model: %s", c.provider, sent)
		}
	}
}

// TestLiveHoldsBack: what is shown while a reply arrives is never the markup
// of a call, and in the end all that is text.
func TestLiveHoldsBack(t *testing.T) {
	for _, c := range []struct{ content, text, reasoning string }{
		{"Hello there.", "Hello there.", ""},
		{"<think>hm</think>\nHello", "\nHello", "hm"},
		{"<think>grüße</think>x", "x", "grüße"},
		{"<thin is no tag", "<thin is no tag", ""},
		{`I look.` + "\n" + `<tool_call>{"name":"read_file","arguments":{"path":"x"}}</tool_call>`, "I look.\n", ""},
		{`{"name":"read_file","arguments":{"path":"x"}}`, "", ""},
		{`{"name":"Ada"}`, `{"name":"Ada"}`, ""},
		{"A <tool_call> tag is how it is written.", "A <tool_call> tag is how it is written.", ""},
		{"done<|im_end|>", "done", ""},
		{"grüße 😀", "grüße 😀", ""},
	} {
		for _, size := range []int{1, 2, 3, 100} {
			var text, reasoning strings.Builder
			var body strings.Builder
			for s := c.content; s != ""; {
				n := min(size, len(s))
				raw, err := json.Marshal(map[string]any{"content": string([]byte(s[:n]))})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(raw), `\ufffd`) { // a piece of a character goes out as raw bytes
					raw = []byte(`{"content":"` + s[:n] + `"}`)
				}
				body.WriteString(chunk(string(raw)))
				s = s[n:]
			}
			tr := &answers{statuses: []int{200}, bodies: []string{body.String() + end("stop")}}
			_, err := client(t, tr).Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}, func(d Delta) {
				switch d.Kind {
				case DeltaText:
					text.WriteString(d.Text)
				case DeltaReasoning:
					reasoning.WriteString(d.Text)
				}
			})
			if err != nil || text.String() != c.text || reasoning.String() != c.reasoning {
				t.Errorf("%q in %d: text %q, reasoning %q, %v", c.content, size, text.String(), reasoning.String(), err)
			}
		}
	}
}

// TestIDsStayUnique: ids of earlier turns are not used again, and ids that are
// no plain names are replaced.
func TestIDsStayUnique(t *testing.T) {
	for _, id := range []string{"old", "../../x", "a b", "..", "\u001b[2J", strings.Repeat("x", 300)} {
		body := chunk(`{"tool_calls":[{"index":0,"id":`+quote(id)+`,"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]}`) + end("tool_calls")
		c := client(t, &answers{statuses: []int{200}, bodies: []string{body}})
		reply, err := c.Complete(t.Context(), Request{Model: "m", Tools: []ToolSpec{readTool}, Messages: []Message{
			UserText("x"), {Role: RoleAssistant, Parts: []Part{{Kind: PartCall, CallID: "old", Name: "read_file"}}}, ToolResult("old", "read_file", "y", false),
		}}, nil)
		if err != nil || reply.Calls[0].ID == id || !plainID(reply.Calls[0].ID) || reply.Parts[0].CallID != reply.Calls[0].ID {
			t.Errorf("%q became %q, %v", id, reply.Calls[0].ID, err)
		}
	}
}

func TestScripted(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"steps":[{"say":"hi","calls":[{"tool":"read_file","args":{"path":"{cwd}"}}],"fault":"cut","chunk":1},{"when":{"exit":7},"say":"no"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := NewScripted(s, "/w")
	req := Request{Tools: []ToolSpec{readTool}, Messages: []Message{UserText("x")}}
	reply, err := p.Complete(t.Context(), req, nil)
	if err != nil || reply.Text != "hi" || string(reply.Calls[0].Args) != `{"path":"/w"}` || reply.Provider != ScriptedID {
		t.Fatalf("%+v %v", reply, err)
	}
	req.Messages = append(req.Messages, reply.Message(), ToolResult(reply.Calls[0].ID, "read_file", "[result tool=read_file status=ok decision=allowed]\n", false))
	_, err = p.Complete(t.Context(), req, nil)
	if err == nil || !strings.Contains(err.Error(), "none has a when that fits (tool=read_file decision=allowed)") {
		t.Errorf("%v", err)
	}
	if p.Left() != 1 {
		t.Errorf("%d left", p.Left())
	}
}
