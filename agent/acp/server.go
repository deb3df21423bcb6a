package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	store "github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Options of a connection.
type Options struct {
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Err     io.Writer // for the person who looks for a mistake
	Version string
	Level   LogLevel // how much is said on Err
	Launch  Launch
	// Images says that the model that is configured takes pictures.
	Images func() bool
	Store  Store
	// Open starts or resumes a session. ErrFolder and the errors of the store
	// are told to the client as what they are.
	Open func(ctx context.Context, r Request) (Opened, error)
}

// A Request says which session is wanted.
type Request struct {
	Dir    string // absolute: exactly the workspace
	Resume string // id of a stored session, "" for a new one
	Editor *Editor
}

// Opened is an open session.
type Opened struct {
	Session
	Root   string   // the workspace, links resolved
	Model  string   // "" when none is configured
	Models []string // that the client may choose from
	Window int64    // of the model, in tokens; 0 when unknown
}

// Session is what the front end needs of a session.
type Session interface {
	ID() string
	Send(event.Command) error
	Subscribe(seq uint64) ([]event.Event, <-chan event.Event, func(), error)
	State() (store.State, error)
	Close(audit.CloseStatus) error
}

// Store is what is kept of earlier sessions.
type Store interface {
	List() ([]store.Summary, error)
	Delete(id string) error
}

// ErrFolder says that a folder cannot be the workspace of a session.
var ErrFolder = errors.New("the folder cannot be a workspace")

const (
	// protocol is the version of ACP that is spoken.
	protocol = 1
	// maxSessions is how many sessions one client may have open.
	maxSessions = 128
	// endTime is how long the end of all sessions may take: a client's patience
	// is five seconds.
	endTime = 4 * time.Second
	// lastWords is how long the last answers may take to be read.
	lastWords = 500 * time.Millisecond
)

// server is one connection with its sessions.
type server struct {
	o    Options
	conn *wire.Conn
	ctx  context.Context // of the sessions

	deaf atomic.Bool    // the client cannot ask
	ends sync.WaitGroup // sessions that are being closed

	mu       sync.Mutex
	sessions map[string]*session

	// Of the goroutine that handles messages.
	ready         bool
	reads, writes bool
	images, forms bool // pictures are taken; the client fills in forms
}

// Run serves one client until it leaves or ctx ends. Then every turn is
// cancelled, every question denied, and all sessions are stored.
func Run(ctx context.Context, o Options) error {
	s := &server{o: o, conn: wire.New(o.In, o.Out), ctx: ctx, sessions: map[string]*session{}}
	s.conn.Run(ctx, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.endAll()
	}()
	var err error
	select {
	case <-done:
	case <-time.After(endTime):
		err = errors.New("not every session ended in time: what was open is settled when it is resumed")
	}
	s.conn.Close(lastWords)
	return err
}

// endAll closes the sessions that are left.
func (s *server) endAll() {
	s.mu.Lock()
	for id, open := range s.sessions {
		s.endLater(open, audit.CloseOK)
		delete(s.sessions, id)
	}
	s.mu.Unlock()
	s.ends.Wait()
}

func (s *server) endLater(open *session, status audit.CloseStatus) {
	s.ends.Go(func() {
		if err := open.end(status); err != nil {
			s.log("session %s: %v", open.id, err)
		}
	})
}

// LogLevel is how much is said to the person who started the agent.
type LogLevel uint8

// Levels: what went wrong, also which sessions there are, also each message by
// its name. Content is in none of them.
const (
	LogErrors LogLevel = iota
	LogSessions
	LogMessages
)

// ParseLogLevel reads a level's word.
func ParseLogLevel(word string) (LogLevel, bool) {
	switch strings.ToLower(word) {
	case "", "error", "warning", "warn":
		return LogErrors, true
	case "info":
		return LogSessions, true
	case "debug":
		return LogMessages, true
	default:
		return LogErrors, false
	}
}

// log is for the person who started the agent. The client does not see it.
func (s *server) log(format string, args ...any) {
	s.logAt(LogErrors, format, args...)
}

func (s *server) logAt(level LogLevel, format string, args ...any) {
	if level > s.o.Level {
		return
	}
	fmt.Fprintf(s.o.Err, "tera-pilot acp: %s\n", visible.Prose(fmt.Sprintf(format, args...)))
}

// find is the open session that a request names.
func (s *server) find(p params) (*session, error) {
	id, err := p.text("sessionId")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if open, ok := s.sessions[id]; ok {
		return open, nil
	}
	return nil, &failure{wire.CodeNoResource, "sessionId: no such session is open"}
}

// A failure is an error with a code of its own.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }

// method is what a client may call by a name. The last ones are the names
// that the original agent had for the same.
func (s *server) method(name string) func(*wire.Request, params) error {
	switch name {
	case "initialize":
		return s.initialize
	case "authenticate":
		return s.authenticate
	case "logout":
		return s.logout
	case "session/new":
		return s.newSession
	case "session/load":
		return s.loadSession
	case "session/resume":
		return s.resumeSession
	case "session/list":
		return s.listSessions
	case "session/close":
		return s.closeSession
	case "session/delete":
		return s.deleteSession
	case "session/prompt", "prompt/send":
		return s.prompt
	case "session/cancel", "turn/cancel":
		return s.cancelled
	case "session/set_mode":
		return s.setMode
	case "session/set_config_option":
		return s.setConfigOption
	case "session/info":
		return s.info
	default:
		return nil
	}
}

// Request implements wire.Handler.
func (s *server) Request(r *wire.Request) {
	run := s.method(r.Method)
	switch {
	case run == nil:
		r.Fail(wire.CodeMethod, "no such method")
		return
	case !s.ready && r.Method != "initialize":
		r.Fail(wire.CodeRequest, "initialize comes first")
		return
	}
	s.logAt(LogMessages, "request %s", r.Method)
	p, err := readParams(r.Params)
	if err == nil {
		err = run(r, p)
	}
	var param *paramError
	var fail *failure
	switch {
	case err == nil:
	case errors.As(err, &param):
		r.Fail(wire.CodeParams, param.Error())
	case errors.As(err, &fail):
		r.Fail(fail.code, fail.text)
	default:
		s.log("%s: %v", r.Method, err)
		r.Fail(wire.CodeInternal, "it failed; the agent's stderr says why")
	}
}

// Notification implements wire.Handler. Nothing is answered, whatever it says.
func (s *server) Notification(method string, raw json.RawMessage) {
	p, err := readParams(raw)
	if err != nil || !s.ready {
		return
	}
	switch method {
	case "session/cancel", "turn/cancel":
		if open, err := s.find(p); err == nil {
			s.stop(open)
		}
	case "$/cancel_request":
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, open := range s.sessions {
			if id := string(p["requestId"]); id != "" && open.busy(id) {
				s.stop(open)
			}
		}
	}
}

// stop cancels a turn that is under way. An idle session takes no note.
func (s *server) stop(open *session) {
	open.mu.Lock()
	busy := open.prompt != nil
	open.stopped = busy
	open.mu.Unlock()
	if busy {
		_ = open.opened.Send(event.Cancel{}) // an ended session has nothing to stop
	}
}

// unattended remembers that the client cannot ask: from now on what would be
// asked is denied. The person is told once.
func (s *server) unattended(where *session) {
	if s.deaf.Swap(true) {
		return
	}
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	for _, open := range all {
		_ = open.opened.Send(event.Unattended{}) // an ended session asks nothing
	}
	// Not waited for: a client that reads nothing holds up no message here.
	go where.update(chunk{"agent_message_chunk", textBlock{"text",
		"This editor cannot ask you for permission, so whatever needs it is denied. Start the agent with --no-confirm to let it act inside the sandbox."}, "unattended"})
}

func (s *server) initialize(r *wire.Request, p params) error {
	if s.ready {
		return &failure{wire.CodeRequest, "initialize comes once"}
	}
	var version uint16
	if raw, ok := p["protocolVersion"]; !ok || json.Unmarshal(raw, &version) != nil || string(raw) == "null" {
		return &paramError{"protocolVersion", "a whole number is needed"}
	}
	can := p.object("clientCapabilities")
	fs := can.object("fs")
	s.ready, s.reads, s.writes = true, fs.yes("readTextFile"), fs.yes("writeTextFile")
	s.forms = can.object("elicitation").has("form")
	s.images = s.o.Images != nil && s.o.Images()
	result := initializeResult{
		ProtocolVersion: protocol, AuthMethods: []struct{}{},
		AgentInfo: implementation{"tera-pilot", "tera-pilot", s.o.Version},
	}
	result.AgentCapabilities.LoadSession = true
	result.AgentCapabilities.PromptCapabilities = promptCapabilities{Image: s.images, EmbeddedContext: true}
	r.Reply(result)
	return nil
}

// authenticate has no method to offer: keys are the person's own business.
func (s *server) authenticate(*wire.Request, params) error {
	return &paramError{"methodId", "there is no way to authenticate: keys come from `tera-pilot keys set` or the environment"}
}

// logout has nothing to forget: no login was ever made.
func (s *server) logout(r *wire.Request, _ params) error {
	r.Reply(struct{}{})
	return nil
}
