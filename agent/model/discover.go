package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// A Found is a server on this machine that answers.
type Found struct {
	Kind    string // a preset's id by the shape of its answers; "local": OpenAI-compatible; empty: nothing that is known
	Address string // http://HOST:PORT
	BaseURL string // what a Config wants; empty where Kind is
	Version string
	Loading bool // it is up, and its model is not
	Models  []FoundModel
}

// A FoundModel is a model that a local server offers. Zero windows are unknown.
type FoundModel struct {
	Name      string
	Window    int64 // tokens in force now
	MaxWindow int64 // tokens that the model could take
	Tools     *bool // nil: the server does not say
	Images    bool
	Reasoning bool
	Loaded    bool // in memory already

	Digest     string // of the weights or the template, where the server says; names a version of the model
	Size       int64  // of the weights, in bytes; 0: unknown
	TokenBytes int64  // memory that a token of the window takes, in bytes; 0: unknown
}

// Info is the entry of a catalogue that a model of this server makes.
func (f Found) Info(m FoundModel) Info {
	return Info{Provider: f.Kind, Model: m.Name, Context: max(m.Window, m.MaxWindow), Tools: m.Tools, Images: m.Images, Reasoning: m.Reasoning}
}

// Model finds a model of the server by its name. Ollama's tag "latest" may be
// left out.
func (f Found) Model(name string) (FoundModel, bool) {
	for _, m := range f.Models {
		if m.Name == name || m.Name == name+":latest" && f.Kind == "ollama" {
			return m, true
		}
	}
	return FoundModel{Name: name}, false
}

// Discovery says where to look. The zero value looks at the usual ports.
type Discovery struct {
	Addresses []string          // more addresses, http://HOST:PORT; those that are not loopback are passed over
	Timeout   time.Duration     // of one look, 0: 250 ms
	Transport http.RoundTripper // nil: the guarded one
	Only      bool              // look at Addresses alone
}

// Discover looks for model servers on this machine. It asks loopback addresses
// only, sends nothing but the questions that the servers' documents name, and
// goes by the shape of the answers, not by the port: anyone may listen on 8080.
func Discover(ctx context.Context, d Discovery) ([]Found, error) {
	if d.Timeout <= 0 {
		d.Timeout = 250 * time.Millisecond
	}
	transport := d.Transport
	if transport == nil {
		guard, err := netguard.New(netguard.Loopback(), netguard.Options{})
		if err != nil {
			return nil, fmt.Errorf("look for local models: %w", err)
		}
		transport = guard.Transport(netguard.Limits{Body: maxAnswer, KeepAlive: false})
	}
	addresses := d.addresses()
	found := make([]*Found, len(addresses))
	var wait sync.WaitGroup
	for i, address := range addresses {
		wait.Go(func() {
			p := &prober{http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, address: address, timeout: d.Timeout}
			found[i] = p.look(ctx)
		})
	}
	wait.Wait()
	return distinct(found), ctx.Err()
}

// Bounds of what a server may answer.
const (
	maxAnswer = 4 << 20 // bytes
	maxFound  = 500     // models
	mostLooks = 60      // times the wait for one answer: a whole look
)

// addresses lists where to look, each once.
func (d Discovery) addresses() []string {
	var all []string
	if !d.Only {
		for _, port := range []int{11434, 1234, 8080, 8000} {
			all = append(all, fmt.Sprintf("http://127.0.0.1:%d", port), fmt.Sprintf("http://[::1]:%d", port))
		}
	}
	for _, a := range d.Addresses {
		u, err := url.Parse(a)
		if err == nil && u.Scheme == "http" && loopback(u.Hostname()) {
			a = "http://" + u.Host
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// distinct leaves out silence, and the second address of one server.
func distinct(found []*Found) []Found {
	var out []Found
	for _, f := range found {
		if f == nil || slices.ContainsFunc(out, func(o Found) bool { return o.same(*f) }) {
			continue
		}
		out = append(out, *f)
	}
	return out
}

// same says whether two addresses lead to one server: the same port and the
// same answers.
func (f Found) same(g Found) bool {
	port := func(a string) string { return a[strings.LastIndexByte(a, ':'):] }
	return port(f.Address) == port(g.Address) && f.Kind == g.Kind && f.Version == g.Version &&
		slices.EqualFunc(f.Models, g.Models, func(a, b FoundModel) bool { return a.Name == b.Name })
}

// prober asks one address.
type prober struct {
	http    *http.Client
	address string
	timeout time.Duration
}

// get asks for path and reads JSON into v. It gives the status, 0 if there was
// no answer; an answer that is no JSON leaves v alone.
func (p *prober) get(ctx context.Context, path string, v any) int {
	return p.ask(ctx, http.MethodGet, path, "", v)
}

func (p *prober) ask(ctx context.Context, method, path, body string, v any) int {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.address+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("User-Agent", "tera-pilot")
	resp, err := p.http.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err == nil && resp.StatusCode == http.StatusOK {
		_ = json.Unmarshal(data, v) // no JSON is an answer too: v stays empty
	}
	return resp.StatusCode
}

// look finds out what listens; nil: nothing does.
func (p *prober) look(ctx context.Context) *Found {
	ctx, cancel := context.WithTimeout(ctx, mostLooks*p.timeout)
	defer cancel()
	f := &Found{Address: p.address}
	var version struct {
		Version string `json:"version"`
	}
	if p.get(ctx, "/api/version", &version) == 0 {
		return nil
	}
	for _, shape := range []func(context.Context, *Found) bool{p.ollama, p.lmStudio, p.lmStudioOld, p.llamaServer, p.vllm, p.compatible} {
		if shape(ctx, f) {
			break
		}
	}
	f.Models = f.Models[:min(len(f.Models), maxFound)]
	for i := range f.Models {
		f.Models[i].Name = printable(f.Models[i].Name)
		f.Models[i].Digest = printable(f.Models[i].Digest)
	}
	f.Models = slices.DeleteFunc(f.Models, func(m FoundModel) bool { return m.Name == "" })
	f.Version = printable(f.Version)
	return f
}
