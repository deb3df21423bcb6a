package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
)

// Setup is what the servers of a session are made of.
type Setup struct {
	Entries   []Entry
	Workspace string
	Pins      *Pins
	Env       func(name string) (string, bool) // for ${NAME} in entries
	Path      string                           // that commands are looked up in
	Box       func(Identity) (Box, error)
	Net       netguard.Options
	Logins    oauth.Store             // what logins gave; nil: there are none
	Learn     func(secrets ...string) // is told each token before it is used; nil: nobody
	Roots     bool                    // servers that are started here are told of the workspace
	Forms     bool                    // a person may fill in forms of servers
	Version   string
	Timeout   time.Duration // of a call; 0 is the default, a minute
}

// Servers are the MCP servers of one session. None is started before a call
// needs it. It can be used by many goroutines.
type Servers struct {
	o       Setup
	mu      sync.Mutex          // of what follows; held for no longer than it takes to look
	live    map[string]*Server  // by name
	prompts map[string][]Prompt // that were listed, by server
	off     map[string]bool     // that the person switched off for this session
}

// NewServers makes the servers of a session; entries that are disabled are left
// out.
func NewServers(o Setup) *Servers {
	o.Entries = slices.DeleteFunc(slices.Clone(o.Entries), func(e Entry) bool { return e.Disabled })
	return &Servers{o: o, live: map[string]*Server{}, prompts: map[string][]Prompt{}, off: map[string]bool{}}
}

// An Offer is one approved tool, as a model may be offered it. Description and
// schema are the server's words, made visible: data.
type Offer struct {
	Name         string // mcp__server__tool
	Server, Tool string
	Description  string
	Schema       json.RawMessage
}

// Offers lists the approved tools, from the pins alone: nothing is started.
// problems say why a server is left out.
func (s *Servers) Offers() (offers []Offer, problems []error) {
	taken := map[string]int{}
	for _, e := range s.o.Entries {
		pin, err := s.o.Pins.Get(Key(e, s.o.Workspace))
		if err != nil {
			return nil, []error{err}
		}
		for _, d := range pin.Definitions() {
			o := Offer{Offered(e.Name, d.Name), e.Name, d.Name, visible.Prose(d.Description()), harmless(d.Schema())}
			taken[o.Name]++
			offers = append(offers, o)
		}
	}
	offers = slices.DeleteFunc(offers, func(o Offer) bool {
		if taken[o.Name] == 1 {
			return false
		}
		problems = append(problems, fmt.Errorf("MCP server %s: the tool %s is not offered, since another one comes to the name %s too", o.Server, o.Tool, o.Name))
		return true
	})
	return offers, problems
}

// harmless makes the texts of a schema visible. Names of properties are left:
// definitions with hidden characters in them are refused before.
func harmless(schema json.RawMessage) json.RawMessage {
	v, err := strictjson.Value(schema)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return visible.Prose(v)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	return canonical(walk(v))
}

// ErrNoServer says that no server has a name.
var ErrNoServer = errors.New("no MCP server is called")

// A Plan is what a call comes to, before anybody is asked. Nothing is started.
type Plan struct {
	Server, Tool string
	Identity     Identity
	Pin          string // hash of the approved definition; "" when there is none
	Pinned       bool   // the server is what was approved, and so is the tool
	Why          string // it is not pinned
	Remote       bool
	Leaves       bool // its process runs without a sandbox
	Starts       bool // the call starts the server's process
	Host         string
}

// A WithdrawnError says that a tool may not be called.
type WithdrawnError struct{ Server, Tool, Why string }

func (e *WithdrawnError) Error() string {
	return fmt.Sprintf("the tool %s of the MCP server %s is not called: %s; look at it with `tera-pilot mcp approve %s`", e.Tool, e.Server, e.Why, e.Server)
}

// Plan looks at what a call would do.
func (s *Servers) Plan(server, tool string) (Plan, error) {
	e, ok := s.entry(server)
	if !ok {
		return Plan{}, fmt.Errorf("%w %s: `tera-pilot mcp list` shows them", ErrNoServer, server)
	}
	if s.isOff(server) {
		return Plan{}, &Error{server, "you switched it off for this session: `/mcp on " + server + "`", nil}
	}
	x, id, err := s.resolve(e)
	if err != nil {
		return Plan{}, fmt.Errorf("MCP server %s: %w", server, err)
	}
	p := Plan{Server: server, Tool: tool, Identity: id, Remote: x.Remote(), Leaves: x.Sandbox == Off}
	pin, err := s.o.Pins.Get(Key(e, s.o.Workspace))
	if err != nil {
		return Plan{}, err
	}
	text, known := pin.Tools[tool]
	if asked(tool) {
		known = pin.Tools != nil
	}
	switch {
	case !known:
		p.Why = "nobody approved it"
	case pin.Identity.Hash() != id.Hash():
		p.Why = "the server is not what was approved (" + strings.Join(pin.Identity.Differs(id), ", ") + ")"
	case asked(tool):
		p.Pin, p.Pinned = askPin(tool), true
	default:
		p.Pin, p.Pinned = Definition{tool, text}.Hash(), true
	}
	s.mu.Lock()
	live := s.live[server]
	s.mu.Unlock()
	p.Starts = e.URL == "" && (live == nil || !live.Running() || live.Identity().Hash() != id.Hash())
	return p, nil
}

func (s *Servers) entry(name string) (Entry, bool) {
	i := slices.IndexFunc(s.o.Entries, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return s.o.Entries[i], true
}

func (s *Servers) resolve(e Entry) (Entry, Identity, error) {
	look := s.o.Env
	if look == nil {
		look = os.LookupEnv
	}
	x, err := e.Expand(look)
	if err != nil {
		return e, Identity{}, err
	}
	id, err := Identify(x, s.o.Path, s.o.Workspace)
	return x, id, err
}

// Call calls an approved tool. A server that is not what it was at the plan, or
// that would have to be started although the plan did not say so, is not called.
func (s *Servers) Call(ctx context.Context, p Plan, args json.RawMessage) (Result, error) {
	e, ok := s.entry(p.Server)
	if !ok {
		return Result{}, fmt.Errorf("%w %s", ErrNoServer, p.Server)
	}
	if asked(p.Tool) {
		r, err := s.ask(ctx, e, p, args)
		r.Text = visible.Prose(r.Text)
		return r, err
	}
	pin, err := s.o.Pins.Get(Key(e, s.o.Workspace))
	if err != nil {
		return Result{}, err
	}
	want := Definition{p.Tool, pin.Tools[p.Tool]}
	if !p.Pinned || want.JSON == "" || want.Hash() != p.Pin {
		return Result{}, &WithdrawnError{p.Server, p.Tool, "what was approved of it changed meanwhile"}
	}
	server, err := s.server(e, p)
	if err != nil {
		return Result{}, err
	}
	r, err := server.Call(ctx, want, args)
	if err != nil {
		return r, err
	}
	r.Text = visible.Prose(r.Text)
	return r, nil
}

// server gives the running one, or makes it. Nothing is started or ended: one
// that is replaced ends before its successor is started.
func (s *Servers) server(e Entry, p Plan) (*Server, error) {
	x, id, err := s.resolve(e)
	if err != nil {
		return nil, err
	}
	if id.Hash() != p.Identity.Hash() {
		return nil, &WithdrawnError{e.Name, p.Tool, "the server changed since the call was planned (" + strings.Join(p.Identity.Differs(id), ", ") + ")"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live := s.live[e.Name]
	if live != nil && live.Identity().Hash() == id.Hash() {
		if !p.Starts && e.URL == "" && !live.Running() {
			return nil, &Error{e.Name, "it ended meanwhile: call again to start it", nil}
		}
		return live, nil
	}
	next := s.options(e, x, id)
	next.Before, next.Forms, next.Timeout = live, s.o.Forms, s.o.Timeout
	next.Roots = s.o.Roots && e.URL == "" // a path of this machine is nothing that a server elsewhere needs
	live = NewServer(next)
	s.live[e.Name] = live
	return live, nil
}

// options are those of every server that is made of an entry, x when expanded.
func (s *Servers) options(e, x Entry, id Identity) Options {
	return Options{
		Entry: x, Identity: id, Workspace: s.o.Workspace, Box: s.o.Box, Net: s.o.Net, Version: s.o.Version, Login: s.keeper(e, x),
		Again: func() (Identity, error) { _, id, err := s.resolve(e); return id, err },
	}
}

// Close ends all servers, side by side.
func (s *Servers) Close() error {
	s.mu.Lock()
	live := s.live
	s.live = map[string]*Server{}
	s.mu.Unlock()
	errs := make(chan error, len(live))
	for _, server := range live {
		go func() { errs <- server.Close() }()
	}
	var all []error
	for range live {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
