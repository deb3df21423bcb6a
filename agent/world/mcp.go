package world

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/mcp"
)

// Types of MCP servers that whoever uses a world meets.
type (
	Form         = mcp.Form
	Filled       = mcp.Filled
	ServerReport = mcp.Report
)

// What a person can make of a form, and what its answer is called where tools
// are named.
const (
	Decline    = mcp.Decline
	Accept     = mcp.Accept
	AnswerForm = mcp.AnswerForm
)

// Servers are the MCP servers of the world, nil for none.
func (w *World) Servers() *mcp.Servers { return w.o.MCP }

var errNoMCP = errors.New("there are no MCP servers here")

// MCP implements tool.View: the call, and the start of the server where it
// needs one. Nothing is started.
func (v *view) MCP(_ context.Context, server, name string, args json.RawMessage) ([]effect.Effect, error) {
	if v.o.MCP == nil {
		return nil, errNoMCP
	}
	p, err := v.o.MCP.Plan(server, name)
	if err != nil {
		return nil, err
	}
	out := []effect.Effect{{Kind: effect.MCP, MCP: &effect.MCPCall{
		Server: server, Identity: p.Identity.String(), Tool: name, Args: string(args), Pin: p.Pin + " " + p.Identity.Hash(), Pinned: p.Pinned, Remote: p.Remote,
	}}}
	switch {
	case !p.Pinned: // the gate blocks it; the log says why
		out[0].MCP.Identity += " (" + p.Why + ")"
	case p.Starts:
		out = append(out, v.start(p))
	}
	return out, nil
}

// start is the start of a server's process as an effect.
func (v *view) start(p mcp.Plan) effect.Effect {
	id := p.Identity
	x := &effect.Command{
		Argv: append([]string{id.Program}, id.Args...), Dir: v.o.Root, Parsed: true, Timeout: v.limit(0),
		Program: effect.Program{Path: id.Program, SHA256: id.SHA256}, Profile: string(id.Sandbox), Hosts: id.Hosts,
	}
	for _, name := range id.EnvNames {
		x.Set = append(x.Set, name+"=(of the server's entry)")
	}
	return effect.Effect{Kind: effect.Start, Exec: x}
}

// MCP implements tool.Env.
func (v *env) MCP(ctx context.Context, e effect.Effect) (text string, isError bool, err error) {
	if err := v.covers(e, effect.MCP); err != nil {
		return "", false, err
	}
	if v.o.MCP == nil {
		return "", false, errNoMCP
	}
	p, err := v.o.MCP.Plan(e.MCP.Server, e.MCP.Tool)
	if err != nil {
		return "", false, err
	}
	if p.Pin+" "+p.Identity.Hash() != e.MCP.Pin {
		return "", false, &tool.ChangedError{What: "the MCP server " + e.MCP.Server}
	}
	p.Starts = v.starts() // what was granted, not what would be needed now
	q := Request{Time: time.Now(), Method: "CALL", Host: e.MCP.Server, Allowed: true}
	if p.Remote {
		q.Host = where(p)
		if err := v.told(q); err != nil {
			return "", false, err
		}
	}
	ctx = mcp.Attended(ctx, mcp.Attendance{Fill: v.grant.Form, Refused: v.grant.NoForm, Renews: v.renews})
	r, err := v.o.MCP.Call(ctx, p, json.RawMessage(e.MCP.Args))
	if p.Remote {
		q.Ended, q.Failed, q.Allowed, q.Sent, q.Received = true, err != nil, err == nil, int64(len(e.MCP.Args)), int64(len(r.Text))
		if err != nil {
			q.Reason = "the call failed"
		}
		err = errors.Join(err, v.told(q))
	}
	return r.Text, r.Failed, err
}

// renews states that a login is renewed at its authorization server.
func (v *env) renews(host string) error {
	return v.told(Request{Time: time.Now(), Method: "RENEW", Host: host, Allowed: true, Ended: true})
}

// starts says that the grant covers the start of a server, and uses it up.
func (v *env) starts() bool {
	for _, x := range v.grant.Set.Effects {
		if x.Kind == effect.Start && v.covers(x, effect.Start) == nil {
			return true
		}
	}
	return false
}

// where is what a remote server is reached by.
func where(p mcp.Plan) string {
	if u, err := url.Parse(p.Identity.Origin); err == nil && u.Host != "" {
		return u.Host
	}
	return p.Server
}
