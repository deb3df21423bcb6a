package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// Options shape a Model. The zero value is one that asks for no key.
type Options struct {
	Cwd string // replaces {cwd} in arguments
	Key string // if set, requests without it are answered 401
}

// A Request is one that a Model has received.
type Request struct {
	Path string
	Body []byte
}

// A Model plays one scenario as an http.Handler, and as a transport.
type Model struct {
	player *scenario.Player
	key    string

	mu       sync.Mutex
	requests []Request
	calls    int
}

// New makes a Model that is at the first step.
func New(s *scenario.Scenario, o Options) *Model {
	return &Model{player: s.Player(o.Cwd), key: o.Key}
}

// Requests gives what was asked so far, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Left counts the steps that were neither played nor passed over.
func (m *Model) Left() int { return m.player.Left() }

const maxRequest = 64 << 20

// ServeHTTP answers as the protocol of the path does.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		fail(w, http.StatusBadRequest, "the request could not be read")
		return
	}
	if m.key != "" && !m.hasKey(r.Header) {
		fail(w, http.StatusUnauthorized, "invalid api key")
		return
	}
	if m.listing(w, r.URL.Path) {
		return
	}
	p := protocolOf(r.URL.Path)
	if p == nil || r.Method != http.MethodPost {
		fail(w, http.StatusNotFound, "no such path: "+r.URL.Path)
		return
	}
	if bytes.Contains(body, []byte(`"echo_check"`)) {
		m.probed(w, r, p, body)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, Request{r.URL.Path, body})
	m.mu.Unlock()
	m.play(w, r, p, body)
}

func (m *Model) hasKey(h http.Header) bool {
	return h.Get("Authorization") == "Bearer "+m.key || h.Get("X-Api-Key") == m.key || h.Get("X-Goog-Api-Key") == m.key
}

// listing answers the questions that come before a conversation.
func (m *Model) listing(w http.ResponseWriter, path string) bool {
	switch path {
	case "/v1/models", "/models":
		reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": Name, "object": "model", "owned_by": "tera-pilot"}}})
	case "/api/version":
		reply(w, http.StatusOK, map[string]any{"version": "0.0.0-scripted"})
	case "/api/show":
		reply(w, http.StatusOK, map[string]any{"model_info": map[string]any{"scripted.context_length": 65536}, "capabilities": []any{"completion", "tools"}})
	case "/api/ps":
		reply(w, http.StatusOK, map[string]any{"models": []any{}})
	case "/api/tags":
		reply(w, http.StatusOK, map[string]any{"models": []any{map[string]any{"name": Name, "model": Name}}})
	default:
		return false
	}
	return true
}

// Name is the name of the model that plays scripts.
const Name = "scripted"

// play answers with the next step.
func (m *Model) play(w http.ResponseWriter, r *http.Request, p protocol, body []byte) {
	ask, err := p.read(body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	if err := p.refuse(body); err != nil {
		fail(w, http.StatusBadRequest, "no vendor takes this: "+err.Error())
		return
	}
	if strings.Contains(r.URL.Path, ":streamGenerateContent") {
		ask.stream = true // this protocol says it in the path
	}
	step, err := m.player.Next(ask.results)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	m.name(&step)
	switch step.Shape.Fault {
	case scenario.Fault429:
		if after := step.Shape.RetryAfter; after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(after.Seconds())))
		}
		fail(w, http.StatusTooManyRequests, "rate limit reached (scripted)")
		return
	case scenario.Fault500:
		fail(w, http.StatusInternalServerError, "internal error (scripted)")
		return
	}
	t := turn{step: step, input: len(body)/4 + 1, output: len(step.Say)/4 + 1}
	kind, frames := p.write(t, ask.stream)
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	deliver(r.Context(), w, step.Shape, frames)
}

// probed answers a client that asks how tools are called, before any of the
// script: as the protocol has it.
func (m *Model) probed(w http.ResponseWriter, r *http.Request, p protocol, body []byte) {
	ask, err := p.read(body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	call := scenario.Call{ID: "call_probe", Tool: "echo_check", Args: json.RawMessage(`{"text":"ok"}`)}
	kind, frames := p.write(turn{step: scenario.Step{Calls: []scenario.Call{call}}, input: 9, output: 9}, ask.stream)
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	deliver(r.Context(), w, scenario.Shape{}, frames)
}

// name gives ids to the calls that have none.
func (m *Model) name(s *scenario.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range s.Calls {
		m.calls++
		if s.Calls[i].ID == "" {
			s.Calls[i].ID = "call_s" + strconv.Itoa(m.calls)
		}
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(marshal(v)) // the client may be gone
}

func fail(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"error": map[string]any{"message": message, "type": "scripted"}})
}

// marshal encodes values of this package, which always encode.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"error":{"message":"the fake model built something that is no JSON"}}`)
	}
	return b
}

// An asked is what a request says, as far as a script needs it.
type asked struct {
	results []scenario.Result // of the calls of the turn before
	stream  bool
}

// A turn is a step on its way out.
type turn struct {
	step          scenario.Step
	input, output int // made-up counts of tokens
}

// A protocol reads requests and writes replies. A frame is a piece of the body
// that is sent at once.
type protocol interface {
	read(body []byte) (asked, error)
	refuse(body []byte) error // what the vendor would not take
	write(t turn, stream bool) (contentType string, frames [][]byte)
}

func protocolOf(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.Contains(path, ":streamGenerateContent"), strings.Contains(path, ":generateContent"):
		return gemini{}
	case strings.HasSuffix(path, "/api/chat"):
		return ollama{}
	}
	return nil
}

var errNoJSON = errors.New("the body is no JSON of this protocol")

// resultOf reads a result that was sent as a tool's message, or as text to a
// model that takes no tools.
func resultOf(text string) (scenario.Result, bool) {
	if strings.HasPrefix(text, "Result of ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	r := scenario.ParseResult(text)
	return r, r.Tool != ""
}
