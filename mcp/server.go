package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// Deadlines of a server, and how often it is started again.
const (
	startTime   = 10 * time.Second
	callTime    = 60 * time.Second
	maxStarts   = 4 // the first, and three restarts
	startWindow = 5 * time.Minute
	relistTime  = time.Second
)

// Options are what a Server is made of.
type Options struct {
	Entry     Entry // expanded
	Identity  Identity
	Workspace string
	Box       func(Identity) (Box, error) // makes the sandbox of one start
	Net       netguard.Options            // for servers reached by HTTP
	Roots     bool                        // tell the server of the workspace
	Elicit    Elicit                      // nil: nobody fills forms in
	Version   string                      // of the program, told to the server
	Timeout   time.Duration               // of a call; 0 is callTime

	// Again looks at the server's identity once more, after its start: what was
	// put in the place of a script meanwhile is not spoken to. nil: it is not looked at.
	Again func() (Identity, error)
}

// A Server is one MCP server, started when it is first needed. It can be used
// by many goroutines.
type Server struct {
	o    Options
	life context.Context // ended by Close
	end  context.CancelFunc

	mu     sync.Mutex
	conn   *conn
	starts []time.Time
	closed bool
}

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

// NewServer makes a Server. Nothing is started.
func NewServer(o Options) *Server {
	if o.Timeout <= 0 {
		o.Timeout = callTime
	}
	s := &Server{o: o}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// during gives a context that ends with the server too, so that Close waits for
// no start and no call.
func (s *Server) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// Name is the server's name, Identity what it is.
func (s *Server) Name() string { return s.o.Entry.Name }

// Identity is what the server was found to be before its start.
func (s *Server) Identity() Identity { return s.o.Identity }

// Running says whether a call needs no start.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn != nil && !s.conn.dead()
}

// An Error is a failure of a server, with its name and its last words.
type Error struct {
	Server string
	Why    string
	Err    error
}

func (e *Error) Error() string { return "MCP server " + e.Server + ": " + e.Why }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Tools starts the server where needed and lists what it offers, again when it
// said that the list has changed. refused names what it offers and may not.
func (s *Server) Tools(ctx context.Context) (tools []Definition, refused map[string]string, err error) {
	ctx, cancel := s.during(ctx)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.live(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.relist(ctx, c); err != nil {
		return nil, nil, err
	}
	return c.tools, c.refused, nil
}

// Noise is how many lines of a server's output were no messages.
func (s *Server) Noise() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || s.conn.process == nil {
		return 0
	}
	sv := s.conn.process.sieve
	sv.mu.Lock()
	defer sv.mu.Unlock()
	return sv.noise
}

// Call calls a tool, which must be offered with exactly the definition want.
// args is a JSON object. It is never repeated, whatever happens.
func (s *Server) Call(ctx context.Context, want Definition, args json.RawMessage) (Result, error) {
	ctx, done := s.during(ctx)
	defer done()
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	c, err := s.ready(ctx, want)
	if err != nil {
		return Result{}, err
	}
	if len(args) == 0 {
		args = json.RawMessage("{}") // null is an error to servers of the TypeScript library
	}
	ctx, got := capturing(ctx)
	var q protocol.CallToolRequest
	q.Params.Name, q.Params.Arguments = want.Name, args
	_, err = c.client.CallTool(ctx, q)
	if got.raw != nil {
		return decodeResult(got.raw)
	}
	return Result{}, s.failed(c, "the call of "+want.Name+" failed", err)
}

// ChangedError says that a tool is not offered as it was approved.
type ChangedError struct {
	Server, Tool string
	State        State
	Changes      []Change
}

func (e *ChangedError) Error() string {
	if len(e.Changes) == 0 {
		return fmt.Sprintf("MCP server %s does not offer the tool %s any more", e.Server, e.Tool)
	}
	what := ""
	for i, c := range e.Changes {
		if i > 0 {
			what += ", "
		}
		what += c.Field
	}
	return fmt.Sprintf("MCP server %s offers %s with another %s than was approved: look at it with `tera-pilot mcp approve %s`", e.Server, e.Tool, what, e.Server)
}

// ready gives the running server, if it offers want.
func (s *Server) ready(ctx context.Context, want Definition) (*conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.relist(ctx, c); err != nil {
		return nil, err
	}
	for _, d := range c.tools {
		switch {
		case d == want:
			return c, nil
		case d.Name == want.Name:
			return nil, &ChangedError{s.Name(), want.Name, Changed, Changes(want, d)}
		}
	}
	return nil, &ChangedError{Server: s.Name(), Tool: want.Name}
}

// live gives the connection, started where there is none.
func (s *Server) live(ctx context.Context) (*conn, error) {
	if s.closed {
		return nil, &Error{s.Name(), "it was closed", nil}
	}
	if s.conn != nil {
		if !s.conn.dead() {
			return s.conn, nil
		}
		_ = s.conn.close() // it has ended already
		s.conn = nil
	}
	if err := s.mayStart(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	s.conn = c
	return c, nil
}

// mayStart bounds the starts, and waits longer before each.
func (s *Server) mayStart(ctx context.Context) error {
	now := time.Now()
	for len(s.starts) > 0 && now.Sub(s.starts[0]) > startWindow {
		s.starts = s.starts[1:]
	}
	if len(s.starts) >= maxStarts {
		return &Error{s.Name(), fmt.Sprintf("it ended %d times within %s and is not started again before that time is over", len(s.starts), startWindow), nil}
	}
	if n := len(s.starts); n > 0 {
		select {
		case <-time.After(250 * time.Millisecond << (n - 1)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
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
	if s.o.Elicit != nil {
		options = append(options, client.WithElicitationHandler(forms{s.Name(), s.o.Elicit}))
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
	answers := map[string]bool{"ping": true, "roots/list": s.o.Roots, "elicitation/create": s.o.Elicit != nil}
	if s.o.Entry.URL != "" {
		h, err := overHTTP(s.o.Entry, s.o.Net)
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

// relist asks for the tools where the list is stale, at most once a second.
func (s *Server) relist(ctx context.Context, c *conn) error {
	select {
	case <-c.stale:
	default:
		return nil
	}
	if wait := relistTime - time.Since(c.listed); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			c.changed()
			return ctx.Err()
		}
	}
	c.listed = time.Now()
	raw, err := s.list(ctx, c)
	if err != nil {
		c.changed()
		return err
	}
	c.tools, c.refused = definitions(raw)
	return nil
}

// list reads all pages of the list, up to the bounds.
func (s *Server) list(ctx context.Context, c *conn) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var out []json.RawMessage
	seen := map[string]bool{}
	for cursor, page := "", 0; page < maxPages; page++ {
		var q protocol.ListToolsRequest
		q.Params.Cursor = protocol.Cursor(cursor)
		pageCtx, got := capturing(ctx)
		_, err := c.client.ListToolsByPage(pageCtx, q)
		if got.raw == nil {
			return nil, s.failed(c, "its tools cannot be listed", err)
		}
		var r struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(got.raw, &r); err != nil {
			return nil, s.failed(c, "its list of tools is no list", err)
		}
		out = append(out, r.Tools...)
		if r.Next == "" || seen[r.Next] || len(out) > 4*maxTools {
			break
		}
		seen[r.Next], cursor = true, r.Next
	}
	return out, nil
}

// failed tells a failure with what is known of the server's fate.
func (s *Server) failed(c *conn, what string, err error) error {
	why := what
	if err != nil {
		why += ": " + cutWord(err.Error())
	}
	if c.process != nil && (c.process.gone() || errors.Is(err, transport.ErrTransportClosed)) {
		why += "; " + c.process.fate()
	} else if c.process != nil {
		if last := c.process.stderr.tail(5, 2000); last != "" {
			why += "; " + c.process.fate()
		}
	}
	if c.process != nil && s.o.Entry.fetches() && s.o.Entry.Sandbox != Net && s.o.Entry.Sandbox != Off {
		why += "\n" + filepath.Base(s.o.Entry.Command[0]) + " gets its package when it is started, and the server's sandbox has no network: install the package first and name its program as the command, or give the server the sandbox net with the registry among its hosts"
	}
	return &Error{s.Name(), why, err}
}

// Close ends the server and all it started. It takes at most about six
// seconds.
func (s *Server) Close() error {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn == nil {
		return nil
	}
	c := s.conn
	s.conn = nil
	return c.close()
}
