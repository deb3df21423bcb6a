package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestKeyStaysSecret: no way of printing a key, an error or a client shows it,
// and it goes nowhere but to its origin.
func TestKeyStaysSecret(t *testing.T) {
	const secret = "sk-very-secret"
	var out bytes.Buffer
	key := NewKey(" " + secret + "\n")
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", key, "cfg", Config{Key: key})
	fmt.Fprintf(&out, "%v %+v %#v %s %q", key, Config{Key: key}, Config{Key: key}, key, key)
	if err := json.NewEncoder(&out).Encode(map[string]any{"k": key, "c": struct{ K Key }{key}}); err != nil {
		t.Fatal(err)
	}
	tr := &answers{statuses: []int{401}, bodies: []string{`{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`}}
	c, err := Open(Config{Provider: "openai-chat", BaseURL: "http://127.0.0.1:1", Key: key, Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := ask(t, c)
	fmt.Fprint(&out, err, reply.Err, fmt.Sprintf("%+v", reply.Err))
	if strings.Contains(out.String(), secret) {
		t.Errorf("the key is in %s", out.String())
	}
	for _, bad := range []Config{
		{Provider: "openai-chat", BaseURL: "http://api.example.com/v1", Key: key},
		{Provider: "openai-chat", BaseURL: "http://api.example.com/v1"},
		{Provider: "openai-chat", BaseURL: "http://192.168.1.5/v1", Key: key, AllowRemote: true},
		{Provider: "openai-chat", BaseURL: "https://u:p@api.example.com/v1", Key: key},
		{Provider: "openai-chat", BaseURL: "https://api.example.com/v1?x=1", Key: key},
		{Provider: "openai-chat", BaseURL: "https://169.254.169.254/v1", Key: key},
		{Provider: "openai-chat", Key: key},
		{Provider: "anthropic"},
		{Provider: "nobody"},
		{Provider: "ollama", BaseURL: "http://192.168.1.5:11434"},
		{Provider: "lmstudio", BaseURL: "http://example.com:1234/v1"},
		{Provider: "local", BaseURL: "https://api.example.com/v1"},
	} {
		if _, err := Open(bad); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, good := range []struct {
		Config
		host string // what a person is told of where requests go
	}{
		{Config{Provider: "ollama", BaseURL: "http://192.168.1.5:11434", AllowRemote: true}, "192.168.1.5:11434"},
		{Config{Provider: "ollama", BaseURL: "http://localhost:11434"}, "local"},
		{Config{Provider: "ollama"}, "local"},
		{Config{Provider: "vllm", BaseURL: "http://[::1]:8000/v1"}, "local"},
		{Config{Provider: "openai-chat", BaseURL: "https://api.example.com/v1", Key: key}, "api.example.com"},
		{Config{Provider: "openai-chat", BaseURL: "http://127.0.0.1:9/v1"}, "local"},
	} {
		c, err := Open(good.Config)
		if err != nil || c.Host() != good.host {
			t.Errorf("%+v: %v, %v", good, c, err)
		}
	}
}

// TestRedirectIsRefused: a server that points elsewhere gets nothing, and the
// other place hears nothing.
func TestRedirectIsRefused(t *testing.T) {
	heard := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard++ }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		srv := httptest.NewServer(http.RedirectHandler(other.URL, status))
		c, err := Open(Config{Provider: "openai-chat", BaseURL: srv.URL, Key: NewKey("k")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ask(t, c)
		var e *Error
		if !errors.As(err, &e) || e.Class != ClassBadRequest {
			t.Errorf("%d: %v", status, err)
		}
		srv.Close()
	}
	if heard != 0 {
		t.Errorf("the other server was asked %d times", heard)
	}
}

func TestNobodyListens(t *testing.T) {
	srv := httptest.NewServer(nil)
	url := srv.URL
	srv.Close()
	c, err := Open(Config{Provider: "llama-server", BaseURL: url + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, c)
	var e *Error
	if !errors.As(err, &e) || e.Class != ClassNetwork || e.Retryable || !strings.Contains(err.Error(), "nothing listens at") || !strings.Contains(e.Hint, "models probe") {
		t.Errorf("%v", err)
	}
}

func TestFirstByteTimeout(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer srv.Close()
	c, err := Open(Config{Provider: "openai-chat", BaseURL: srv.URL, Tries: 1, FirstToken: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, c)
	var e *Error
	if !errors.As(err, &e) || e.Class != ClassNetwork || !strings.Contains(e.Message, "within 50ms") {
		t.Errorf("%v", err)
	}
}

// TestFlood: a reply without end is cut off at the bound, and takes no more
// memory than that.
func TestFlood(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"one line":    io.MultiReader(strings.NewReader("data: {\"a\":\""), endless{}),
		"one value":   io.MultiReader(strings.NewReader("{\"a\":\""), endless{}),
		"many events": &repeat{piece: []byte(chunk(`{"content":"never the same ` + "%d" + `"}`))},
	} {
		tr := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
		})
		c, err := Open(Config{Provider: "openai-chat", BaseURL: "http://127.0.0.1:1", Transport: tr, Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := ask(t, c)
		if name == "many events" && err == nil && reply.Stop == StopLength {
			continue // the repetition was noticed first
		}
		var e *Error
		if !errors.As(err, &e) || e.Class != ClassServer || e.Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type repeat struct {
	piece []byte
	left  []byte
}

func (r *repeat) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		r.left = r.piece
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
