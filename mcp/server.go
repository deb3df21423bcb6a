package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
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
	Login     *oauth.Keeper               // the login that goes with the address; nil: none
	Roots     bool                        // tell the server of the workspace
	Forms     bool                        // tell the server that a person may fill in a form, see Attendance
	Version   string                      // of the program, told to the server
	Timeout   time.Duration               // of a call, without the time that a person needs; 0 is callTime

	// Again looks at the server's identity once more, after its start: what was
	// put in the place of a script meanwhile is not spoken to. nil: it is not looked at.
	Again func() (Identity, error)

	// Before is the server in whose place this one stands: it has ended before
	// this one is started. nil: there is none.
	Before *Server
}

// A Server is one MCP server, started when it is first needed. It can be used
// by many goroutines.
type Server struct {
	o    Options
	life context.Context // ended by Close
	end  context.CancelFunc

	// turn holds one element: starts, lists and the close come one after the
	// other, and whoever waits for his turn can give up. No lock is held meanwhile.
	turn chan struct{}

	mu       sync.Mutex // of what follows; held for no longer than it takes to look
	conn     *conn
	starts   []time.Time
	closed   bool
	attended []*attended // the calls under way, oldest first
}

// NewServer makes a Server. Nothing is started.
func NewServer(o Options) *Server {
	if o.Timeout <= 0 {
		o.Timeout = callTime
	}
	s := &Server{o: o, turn: make(chan struct{}, 1)}
	s.life, s.end = context.WithCancel(context.Background()) // ended by Close: the server outlives the calls that start and use it
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
	c := s.now()
	return c != nil && !c.dead()
}

// now is the connection there is, nil for none.
func (s *Server) now() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// Tools starts the server where needed and lists what it offers, again when it
// said that the list has changed. refused names what it offers and may not.
func (s *Server) Tools(ctx context.Context) (tools []Definition, refused map[string]string, err error) {
	ctx, cancel := s.during(ctx)
	defer cancel()
	err = s.inTurn(ctx, func(c *conn) error {
		tools, refused = c.tools, c.refused
		return nil
	})
	return tools, refused, err
}

// inTurn hands f the running server, started where needed, with its list as it
// is now.
func (s *Server) inTurn(ctx context.Context, f func(*conn) error) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c, err := s.live(ctx)
	if err == nil {
		err = s.relist(ctx, c)
	}
	if err != nil {
		return err
	}
	return f(c)
}

// Noise is how many lines of a server's output were no messages.
func (s *Server) Noise() int {
	c := s.now()
	if c == nil || c.process == nil {
		return 0
	}
	sv := c.process.sieve
	sv.mu.Lock()
	defer sv.mu.Unlock()
	return sv.noise
}

// Call calls a tool, which must be offered with exactly the definition want.
// args is a JSON object. It is never repeated, whatever happens.
func (s *Server) Call(ctx context.Context, want Definition, args json.RawMessage) (Result, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}") // null is an error to servers of the TypeScript library
	}
	var q protocol.CallToolRequest
	q.Params.Name, q.Params.Arguments = want.Name, args
	raw, err := s.request(ctx, "the call of "+want.Name, func(c *conn) error { return s.offers(c, want) }, func(ctx context.Context, c *conn) error {
		_, err := c.client.CallTool(ctx, q)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return decodeResult(raw)
}

// request sends one request within a call's time and gives its result as it
// came. may says whether the server, as it is now, may be asked.
func (s *Server) request(ctx context.Context, what string, may func(*conn) error, send func(context.Context, *conn) error) (json.RawMessage, error) {
	ctx, done := s.during(ctx)
	defer done()
	ctx, call := s.attend(ctx)
	defer call.end()
	var c *conn
	err := s.inTurn(ctx, func(now *conn) error {
		c = now
		return may(now)
	})
	if err != nil {
		return nil, call.why(err)
	}
	ctx, got := capturing(ctx)
	err = call.why(send(ctx, c))
	switch {
	case got.raw != nil && !unfinished(got.raw):
		return got.raw, nil
	case err == nil:
		err = errors.New("it gave no result")
	}
	return nil, s.failed(c, what+" failed", err)
}

// unfinished says that a result is none yet: the server wants something first.
func unfinished(raw json.RawMessage) bool {
	var r struct {
		Type string `json:"resultType"`
	}
	return json.Unmarshal(raw, &r) == nil && r.Type == "input_required"
}

// offers says that the running server offers want.
func (s *Server) offers(c *conn, want Definition) error {
	for _, d := range c.tools {
		switch {
		case d == want:
			return nil
		case d.Name == want.Name:
			return &ChangedError{s.Name(), want.Name, Changed, Changes(want, d)}
		}
	}
	return &ChangedError{Server: s.Name(), Tool: want.Name}
}

// Close ends the server and all it started, and the one in whose place it
// stands. It takes at most about six seconds.
func (s *Server) Close() error {
	s.end()
	s.turn <- struct{}{} // whoever has it ends with the server's life
	defer func() { <-s.turn }()
	s.mu.Lock()
	c := s.conn
	s.conn, s.closed = nil, true
	s.mu.Unlock()
	var err error
	if s.o.Before != nil {
		err = s.o.Before.Close()
	}
	if c != nil {
		err = errors.Join(err, c.close())
	}
	return err
}
