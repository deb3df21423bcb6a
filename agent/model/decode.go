package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A Recording is one raw reply of a server, to be decoded without a server.
type Recording struct {
	Protocol string      // as the model-reply cases name it, such as "openai-chat-sse"
	Status   int         // 0: 200
	Header   http.Header // Content-Type is guessed from the protocol if absent
	Body     []byte
	Chunk    int // bytes that arrive at once, 0: all
	Profile  Profile
	Tools    []ToolSpec
}

// recorded names the provider that speaks each protocol of the cases.
var recorded = map[string]string{
	"openai-chat-sse": "openai-chat", "openai-chat-json": "openai-chat", "openai-responses-sse": "openai",
	"anthropic-sse": "anthropic", "gemini-sse": "gemini", "ollama-ndjson": "ollama", "http-error": "openai-chat",
}

// RecordingProtocols lists the protocols that Decode knows.
func RecordingProtocols() []string {
	return []string{"openai-chat-sse", "openai-chat-json", "openai-responses-sse", "anthropic-sse", "gemini-sse", "ollama-ndjson", "http-error"}
}

// Decode gives the Reply that a Client makes of a recording: the same code as
// for a live one, but for the connection. The error is about the recording;
// what the server did wrong stands in Reply.Err.
func Decode(ctx context.Context, r Recording) (Reply, error) {
	provider, ok := recorded[r.Protocol]
	if !ok {
		return Reply{}, fmt.Errorf("no protocol has the name %q; there are %s", r.Protocol, strings.Join(RecordingProtocols(), ", "))
	}
	cfg := Config{Provider: provider, Profile: r.Profile, Tries: 1, Transport: replay(r)}
	if p, _ := PresetByID(provider); p.NeedsKey {
		cfg.Key = NewKey("none")
	}
	if provider == "openai-chat" {
		cfg.BaseURL = "http://127.0.0.1:1"
	}
	c, err := Open(cfg)
	if err != nil {
		return Reply{}, err
	}
	reply, err := c.Complete(ctx, Request{Model: "recorded", Tools: r.Tools, Messages: []Message{UserText("")}}, nil)
	if err != nil && reply.Err == nil {
		return Reply{}, err
	}
	return reply, nil
}

// replay answers every request with the recording.
type replay Recording

func (r replay) RoundTrip(req *http.Request) (*http.Response, error) {
	status := r.Status
	if status == 0 {
		status = http.StatusOK
	}
	header := r.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	body := io.Reader(bytes.NewReader(r.Body))
	if r.Chunk > 0 {
		body = &chunked{body, r.Chunk}
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(body), ContentLength: -1, Request: req,
	}, nil
}

// chunked gives at most n bytes at a time.
type chunked struct {
	io.Reader
	n int
}

func (c *chunked) Read(p []byte) (int, error) {
	return c.Reader.Read(p[:min(len(p), c.n)])
}

// Expectation is a Reply in the form in which the model-reply cases say what
// they expect.
type Expectation struct {
	Text      string          `json:"text"`
	Reasoning string          `json:"reasoning"`
	ToolCalls []ExpectedCall  `json:"tool_calls"`
	Stop      string          `json:"stop"`
	Usage     *Usage          `json:"usage,omitempty"`
	Opaque    []ExpectedBlock `json:"opaque,omitempty"`
	Error     *ExpectedError  `json:"error,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
}

// An ExpectedCall is one call of an Expectation; args are null where they must
// not be used.
type ExpectedCall struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	Origin  Origin          `json:"origin"`
	Status  string          `json:"status"`
	Repairs []string        `json:"repairs,omitempty"`
}

// An ExpectedBlock is one opaque block of an Expectation.
type ExpectedBlock struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	ID    string `json:"id,omitempty"`
}

// An ExpectedError is the error of an Expectation.
type ExpectedError struct {
	Class      Class  `json:"class"`
	Retryable  bool   `json:"retryable"`
	RetryAfter *int64 `json:"retry_after_ms,omitempty"`
	Fallback   string `json:"fallback,omitempty"`
	Limit      int64  `json:"limit,omitempty"`
	Used       int64  `json:"used,omitempty"`
}

// Expect writes a Reply in that form.
func Expect(r Reply) Expectation {
	e := Expectation{
		Text: r.Text, Reasoning: r.Reasoning, ToolCalls: []ExpectedCall{},
		Stop: r.Stop.String(), Usage: r.Usage, Warnings: r.Warnings,
	}
	for _, c := range r.Calls {
		e.ToolCalls = append(e.ToolCalls, ExpectedCall{c.ID, c.Name, c.Args, c.Origin, c.Status.String(), c.Repairs})
	}
	for _, o := range r.Opaque {
		e.Opaque = append(e.Opaque, ExpectedBlock{o.Kind, o.Value, o.ID})
	}
	if r.Err != nil {
		e.Error = &ExpectedError{
			Class: r.Err.Class, Retryable: r.Err.Retryable, Fallback: r.Err.Fallback, Limit: r.Err.Limit, Used: r.Err.Used,
		}
		if r.Err.RetryAfter != nil {
			ms := r.Err.RetryAfter.Milliseconds()
			e.Error.RetryAfter = &ms
		}
	}
	return e
}
