package model

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

// Config opens a Client. It is a value: nothing is read from the environment.
type Config struct {
	Provider    string // id in the table of presets
	BaseURL     string // empty: the preset's address
	Key         Key
	AllowRemote bool // a local kind may be at this address, which the user named, though it is not loopback
	Profile     Profile
	Catalogue   Catalogue         // what is known of models; empty: nothing is
	Tries       int               // attempts a request, 0: 5; 1: not even to adapt to what the server wants
	Transport   http.RoundTripper // nil: the guarded one; tests and decode hand in another
	FirstToken  time.Duration     // until the first byte of a reply, 0: 120 s, local kinds 600 s
	Idle        time.Duration     // between bytes, 0: 120 s
	Whole       time.Duration     // a whole reply, 0: 1 h, local kinds 4 h
}

// A Profile describes how an endpoint behaves.
type Profile struct {
	TextCalls             TextCalls // empty: auto
	NumCtx                int64     // window in force, 0: unknown
	EstimatedPromptTokens int64     // our estimate of the request, 0: none
}

// TextCalls says whether calls written as prose are recovered (R6).
type TextCalls string

// Settings of text calls.
const (
	TextCallsAuto TextCalls = "auto"
	TextCallsOff  TextCalls = "off"
)

// A Client speaks to one provider at one address. Many goroutines may use it.
type Client struct {
	preset  Preset
	adapter adapter
	base    *url.URL
	key     Key
	profile Profile
	models  Catalogue
	http    *http.Client
	tries   int
	first   time.Duration
	idle    time.Duration
	whole   time.Duration

	mu       sync.Mutex
	breakers map[string]*breaker
	habits   map[string]habit // what was learnt of a model
}

// A habit is what a model's server was found to need.
type habit struct {
	textTools bool // it takes no tools, or calls none as the protocol has it: they are described in the prompt
	folded    bool // no system role, and no two messages of a role in a row
}

// Open checks a Config and makes a Client of it. Nothing is sent yet. Errors
// are *Error with class bad_request or auth.
func Open(c Config) (*Client, error) {
	preset, ok := PresetByID(c.Provider)
	if !ok {
		return nil, refused(ClassBadRequest, fmt.Sprintf("no provider has the id %q", c.Provider), "tera-pilot models list shows them")
	}
	base, policy, err := endpoint(preset, c)
	if err != nil {
		return nil, err
	}
	if c.Key.IsZero() && preset.NeedsKey {
		return nil, refused(ClassAuth, preset.Title+" needs a key", keyHint(preset))
	}
	transport := c.Transport
	if transport == nil {
		guard, err := netguard.New(policy, netguard.Options{})
		if err != nil {
			return nil, &Error{Class: ClassNetwork, Message: err.Error(), cause: err}
		}
		transport = guard.Transport(netguard.Limits{KeepAlive: true})
	}
	return newClient(preset, base, transport, c), nil
}

// Host is where requests go: "local" for this machine, else the host.
func (c *Client) Host() string {
	host := c.base.Hostname()
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return "local"
	}
	return c.base.Host
}

// newClient fills in what a Config leaves open.
func newClient(p Preset, base *url.URL, transport http.RoundTripper, cfg Config) *Client {
	c := &Client{
		preset: p, adapter: p.Protocol.adapter(), base: base, key: cfg.Key, profile: cfg.Profile, models: cfg.Catalogue,
		tries: cfg.Tries, first: cfg.FirstToken, idle: cfg.Idle, whole: cfg.Whole,
		breakers: map[string]*breaker{}, habits: map[string]habit{},
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	if c.tries <= 0 {
		c.tries = 5
	}
	if c.idle <= 0 {
		c.idle = 120 * time.Second
	}
	if c.whole <= 0 {
		c.whole = time.Hour
		if c.preset.Local {
			c.whole = 4 * time.Hour
		}
	}
	if c.first <= 0 {
		c.first = 120 * time.Second
		if c.preset.Local {
			c.first = 600 * time.Second
		}
	}
	return c
}

// ID implements Provider.
func (c *Client) ID() string { return c.preset.ID }

func refused(class Class, message, hint string) *Error {
	return &Error{Class: class, Message: message, Hint: hint}
}

func keyHint(p Preset) string {
	hint := "tera-pilot keys set " + p.ID + " --from stdin"
	if p.KeyEnv != "" {
		hint = "set " + p.KeyEnv + ", or: " + hint
	}
	return hint
}

// endpoint finds the address and the egress policy that goes with it.
func endpoint(p Preset, c Config) (*url.URL, netguard.Policy, error) {
	raw := strings.TrimRight(c.BaseURL, "/")
	if raw == "" {
		raw = p.BaseURL
	}
	if raw == "" {
		return nil, netguard.Policy{}, refused(ClassBadRequest, p.Title+" has no address", "set "+p.BaseEnv+", or base_url in the settings")
	}
	policy, err := netguard.Origin(raw)
	if err != nil {
		return nil, policy, refused(ClassBadRequest, "the address of "+p.ID+" cannot be used: "+err.Error(), "write it as http://127.0.0.1:PORT or https://HOST")
	}
	base, err := url.Parse(raw)
	if err != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, policy, refused(ClassBadRequest, "the address of "+p.ID+" has a query or a fragment", "write it without")
	}
	here := loopback(base.Hostname())
	switch {
	case p.Local && !here && !c.AllowRemote:
		return nil, policy, refused(ClassBadRequest, fmt.Sprintf("%s is a local provider, and %s is not this machine", p.ID, base.Host),
			"allow_remote_local in the settings of the provider allows this very address")
	case base.Scheme == "http" && !here && !c.Key.IsZero():
		return nil, policy, refused(ClassAuth, "a key is not sent over http to "+base.Host, "use https, or remove the key")
	case base.Scheme == "http" && !here && !c.AllowRemote:
		return nil, policy, refused(ClassBadRequest, "http to "+base.Host+" would send the code in the clear", "use https, or allow_remote_local for a server of your own network")
	}
	if c.AllowRemote {
		policy = policy.AllowLocal()
	}
	return base, policy, nil
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || host == "localhost"
}

// url gives the address of path below the base.
func (c *Client) url(path string) string {
	return strings.TrimRight(c.base.String(), "/") + path
}

// settingsFor says what is known about a model's endpoint.
func (c *Client) settingsFor(model string) (settings, habit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	info, _ := c.models.Find(c.preset.ID, model)
	return settings{preset: c.preset, profile: c.profile, key: c.key, folded: h.folded, info: info}, h
}

// setTools notes how a model was found to call tools.
func (c *Client) setTools(model string, m ToolMode) {
	c.learn(model, func(h *habit) bool {
		h.textTools = h.textTools || m != ToolsNative
		return true
	})
}

// learn notes what a model's server was found to need; false: it was known.
func (c *Client) learn(model string, change func(*habit) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	if !change(&h) {
		return false
	}
	c.habits[model] = h
	return true
}

// ready checks a request and gives the form in which it is sent: tools sorted
// by name, opaque blocks of others left out.
func (c *Client) ready(req Request) (Request, *toolset, error) {
	if req.Model == "" {
		return req, nil, refused(ClassBadRequest, "no model is chosen", "name one with --model; tera-pilot models list shows what there is")
	}
	tools, err := newToolset(req.Tools)
	if err != nil {
		return req, nil, refused(ClassBadRequest, err.Error(), "")
	}
	req.Tools = slices.Clone(req.Tools)
	slices.SortFunc(req.Tools, func(a, b ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	req.Messages = c.ownOpaque(req)
	return req, tools, nil
}

// ownOpaque leaves out opaque blocks that another provider or model made.
func (c *Client) ownOpaque(req Request) []Message {
	out := make([]Message, len(req.Messages))
	for i, m := range req.Messages {
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p Part) bool {
			return p.Kind == PartOpaque && (p.Opaque == nil || p.Opaque.Provider != c.preset.ID || p.Opaque.Model != req.Model)
		})
		out[i] = m
	}
	return out
}

// asError gives err as one of ours.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Class: ClassServer, Message: printable(err.Error()), Retryable: true, Hint: hints[ClassServer], cause: err}
}
