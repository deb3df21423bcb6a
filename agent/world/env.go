package world

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// view is a tool.View.
type view struct {
	*World
	seen func(abs string) (sha256 string, ok bool)
}

// View looks at the world for one plan; seen knows the content that the model
// was last shown of a file.
func (w *World) View(seen func(abs string) (string, bool)) tool.View { return &view{w, seen} }

// Trailer implements tool.View: the world knows of none.
func (v *view) Trailer() string { return "" }

// A Grant is what one call may do, and through whom it speaks to the person.
type Grant struct {
	Set    effect.Set // completed by the gate
	Token  audit.Token
	Output func(stream string, b []byte)
	Ask    func(ctx context.Context, question string, options []string) (string, error)
	Todo   func(items []tool.TodoItem) error
	// Start begins a command in the background; its output goes to the function
	// that it is handed. Job looks after those that were begun.
	Start func(command func(ctx context.Context, output func(stream string, b []byte)) (tool.Exit, error)) (id string, err error)
	Job   func(ctx context.Context, q tool.JobQuery) ([]tool.JobState, error)
	Spawn func(ctx context.Context, c *effect.Child) (tool.ChildReport, error)
	// Form puts a form of the MCP server that is called to the person, and NoForm is
	// told why one was not put. Nil: nobody can be asked, and nobody is told.
	Form   func(ctx context.Context, f mcp.Form) (mcp.Filled, error)
	NoForm func(why string)
	// Request is told of what a command asks of the network, see
	// ossandbox.Command.OnRequest. Nil: nobody is told.
	Request func(Request) error
	// Filling is told of a cache that a command fills for the first time here, see
	// ossandbox.Command.OnFill. Nil: nobody is told.
	Filling func(tool string)
}

// A Request is what a command asked of the network, and the answer.
type Request = ossandbox.Request

// env is a tool.Env for one grant.
type env struct {
	*World
	grant Grant

	mu   sync.Mutex
	left map[effect.Digest]int // how often each effect may still be had
}

// Env does what g covers. A token that does not stand for a permitted, durable
// intent of exactly g.Set gives an Env that refuses everything.
func (w *World) Env(g Grant) tool.Env {
	e := &env{World: w, grant: g, left: map[effect.Digest]int{}}
	if g.Token.Covers(g.Set.Digest()) {
		for _, x := range g.Set.Effects {
			e.left[x.Digest()]++
		}
	}
	return e
}

// covers says that e is one of the granted effects, and of the right kind, and
// counts it: an effect is had once, but for reading. The token is asked each
// time: it ends with its outcome.
func (v *env) covers(e effect.Effect, kinds ...effect.Kind) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	digest := e.Digest()
	if !v.grant.Token.Covers(v.grant.Set.Digest()) || v.left[digest] == 0 || !slices.Contains(kinds, e.Kind) {
		return &tool.NotGrantedError{What: e.Kind.String()}
	}
	if e.Kind != effect.Read && e.Kind != effect.Walk {
		v.left[digest]--
	}
	return nil
}

// told states a request; an error means that it must not leave.
func (v *env) told(q Request) error {
	if v.grant.Request == nil {
		return nil
	}
	return v.grant.Request(q)
}

// Ask implements tool.Env.
func (v *env) Ask(ctx context.Context, question string, options []string) (string, error) {
	if !v.grant.Token.Covers(v.grant.Set.Digest()) || v.grant.Ask == nil {
		return "", &tool.NotGrantedError{What: "a question"}
	}
	return v.grant.Ask(ctx, question, options)
}

// Job implements tool.Env.
func (v *env) Job(ctx context.Context, q tool.JobQuery) ([]tool.JobState, error) {
	if !v.grant.Token.Covers(v.grant.Set.Digest()) || v.grant.Job == nil {
		return nil, &tool.NotGrantedError{What: "a look at jobs"}
	}
	return v.grant.Job(ctx, q)
}

// Spawn implements tool.Env.
func (v *env) Spawn(ctx context.Context, e effect.Effect) (tool.ChildReport, error) {
	if err := v.covers(e, effect.Spawn); err != nil {
		return tool.ChildReport{}, err
	}
	if v.grant.Spawn == nil || e.Child == nil {
		return tool.ChildReport{}, &tool.NotGrantedError{What: "a sub-agent"}
	}
	return v.grant.Spawn(ctx, e.Child)
}

// Todo implements tool.Env.
func (v *env) Todo(_ context.Context, items []tool.TodoItem) error {
	if !v.grant.Token.Covers(v.grant.Set.Digest()) || v.grant.Todo == nil {
		return &tool.NotGrantedError{What: "the list of tasks"}
	}
	return v.grant.Todo(items)
}

// capped passes on the first bytes of a stream and swallows the rest.
type capped struct {
	w       io.Writer
	left    int64
	dropped bool
}

func (c *capped) Write(b []byte) (int, error) {
	n := len(b)
	if c.w == nil {
		return n, nil
	}
	if int64(n) > c.left {
		b, c.dropped = b[:c.left], true
	}
	c.left -= int64(len(b))
	if len(b) == 0 {
		return n, nil
	}
	if _, err := c.w.Write(b); err != nil {
		return 0, err
	}
	return n, nil
}
