package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// conn is one life of a server.
type conn struct {
	client  *client.Client
	process *process // nil over HTTP
	cancel  context.CancelFunc
	tools   []Definition
	refused map[string]string
	listed  time.Time
	stale   chan struct{} // has one element when the list has changed
}

// live gives the connection, started where there is none.
func (s *Server) live(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	c, closed := s.conn, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, &Error{s.Name(), "it was closed", nil}
	case c != nil && !c.dead():
		return c, nil
	case c != nil:
		_ = c.close() // it has ended already
		s.is(nil)
	case s.o.Before != nil:
		if err := s.o.Before.Close(); err != nil {
			return nil, err
		}
	}
	if err := s.mayStart(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c, err := s.start(ctx)
	if needed := (*oauth.NeededError)(nil); errors.As(err, &needed) {
		s.mu.Lock()
		s.starts = s.starts[:len(s.starts)-1] // it did not end: nobody is logged in yet
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	s.is(c)
	return c, nil
}

func (s *Server) is(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
}

// mayStart bounds the starts, and waits longer before each.
func (s *Server) mayStart(ctx context.Context) error {
	s.mu.Lock()
	for len(s.starts) > 0 && time.Since(s.starts[0]) > startWindow {
		s.starts = s.starts[1:]
	}
	n := len(s.starts)
	s.mu.Unlock()
	if n >= maxStarts {
		return &Error{s.Name(), fmt.Sprintf("it ended %d times within %s and is not started again before that time is over", n, startWindow), nil}
	}
	if n > 0 {
		select {
		case <-time.After(250 * time.Millisecond << (n - 1)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts = append(s.starts, time.Now())
	return nil
}

// start brings one life up: process or connection, handshake, list.
func (s *Server) start(ctx context.Context) (*conn, error) {
	c := &conn{stale: make(chan struct{}, 1)}
	c.stale <- struct{}{}
	wire, err := s.connect(c)
	if err != nil {
		return nil, &Error{s.Name(), "it cannot be started: " + err.Error(), err}
	}
	var life context.Context
	life, c.cancel = context.WithCancel(context.Background()) // the server outlives the call that started it
	c.client = client.NewClient(wire, s.clientOptions()...)
	if err := c.client.Start(life); err != nil {
		return nil, s.failed(c, "it cannot be started", errors.Join(err, c.close()))
	}
	var q protocol.InitializeRequest
	q.Params.ClientInfo = protocol.Implementation{Name: "tera-pilot", Version: s.o.Version}
	if _, err := c.client.Initialize(ctx, q); err != nil {
		failure := s.failed(c, "the handshake failed", err)
		return nil, errors.Join(failure, c.close())
	}
	c.client.OnNotification(func(n protocol.JSONRPCNotification) { // over HTTP; a process's go through its sieve
		if n.Method == "notifications/tools/list_changed" {
			c.changed()
		}
	})
	if err := s.still(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if err := s.relist(ctx, c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// still says that the server is what it was before its start.
func (s *Server) still() error {
	if s.o.Again == nil {
		return nil
	}
	now, err := s.o.Again()
	if err != nil {
		return &Error{s.Name(), "it cannot be looked at again: " + err.Error(), err}
	}
	if changed := s.o.Identity.Differs(now); len(changed) > 0 {
		return &Error{s.Name(), "it changed while it was started (" + strings.Join(changed, ", ") + "), and was ended", nil}
	}
	return nil
}

func (s *Server) clientOptions() []client.ClientOption {
	options := []client.ClientOption{client.WithDiscoverTimeout(startTime / 3)}
	if s.o.Roots {
		options = append(options, client.WithRootsHandler(root(s.o.Workspace)))
	}
	if s.o.Forms {
		options = append(options, client.WithElicitationHandler(forms{s}))
	}
	return options
}

// root tells a server of the workspace, and of nothing else.
type root string

// ListRoots implements client.RootsHandler.
func (r root) ListRoots(context.Context, protocol.ListRootsRequest) (*protocol.ListRootsResult, error) {
	return &protocol.ListRootsResult{Roots: []protocol.Root{{URI: (&url.URL{Scheme: "file", Path: string(r)}).String(), Name: "workspace"}}}, nil
}

// connect makes the wire to the server.
func (s *Server) connect(c *conn) (transport.Interface, error) {
	answers := map[string]bool{"ping": true, "roots/list": s.o.Roots, "elicitation/create": s.o.Forms}
	if s.o.Entry.URL != "" {
		h, err := overHTTP(s.o.Entry, s.o.Net, s.o.Login)
		if err != nil {
			return nil, err
		}
		return httpTap{tap{h, answers}, h}, nil
	}
	box, err := s.o.Box(s.o.Identity)
	if err != nil {
		return nil, err
	}
	profile, err := s.o.Entry.profile()
	if err != nil {
		return nil, errors.Join(err, box.Close())
	}
	command := ossandbox.Command{
		Argv: append([]string{s.o.Identity.Program}, s.o.Entry.Command[1:]...), Dir: s.o.Entry.Cwd, Profile: profile,
		Unconfined: s.o.Entry.Sandbox == Off,
	}
	for _, name := range s.o.Identity.EnvNames { // of the expanded entry
		command.ExtraEnv = append(command.ExtraEnv, name+"="+s.o.Entry.Env[name])
	}
	if c.process, err = run(box, command, c.changed); err != nil {
		return nil, errors.Join(err, box.Close())
	}
	return tap{transport.NewIO(c.process.out, c.process.in, nil), answers}, nil
}

// profile is the sandbox's own word for how confined a server is.
func (e Entry) profile() (ossandbox.Profile, error) {
	switch e.Sandbox {
	case Observe:
		return ossandbox.ParseProfile("observe")
	case Net:
		return ossandbox.ParseProfile("net", e.Hosts...)
	default:
		return ossandbox.Work(), nil
	}
}

// changed notes that the list has to be asked for again.
func (c *conn) changed() {
	select {
	case c.stale <- struct{}{}:
	default:
	}
}

func (c *conn) dead() bool { return c.process != nil && c.process.gone() }

func (c *conn) close() error {
	if c.cancel != nil {
		c.cancel()
	}
	var err error
	if c.process != nil {
		err = c.process.end()
	}
	if c.client != nil {
		if closeErr := c.client.Close(); c.process == nil {
			err = closeErr // of a process, its streams are closed already
		}
	}
	return err
}
