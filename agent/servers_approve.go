package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// approveServer starts a server to look at it, shows what differs from what was
// approved, and approves exactly that if the person wants it.
func (s *Session) approveServer(ctx context.Context, name string) (event.Notice, error) {
	servers := s.o.World.Servers()
	if canAsk, err := s.canAsk(); err != nil || !canAsk {
		return serversNotice("warn", "nobody can be asked here: use `tera-pilot mcp approve`"), err
	}
	if err := s.record(audit.PinChange("looked at", visible.Strict(name), "", "", "", s.disp.person())); err != nil {
		return event.Notice{}, err
	}
	r, err := servers.Probe(ctx, name)
	switch {
	case err != nil:
		return event.Notice{}, err
	case r.Hash == "":
		return serversNotice("warn", "MCP server "+name+" could not be listed: "+visible.Prose(strings.Join(r.Problems, "; "))), nil
	case r.Unchanged():
		return serversNotice("info", "MCP server "+name+" is as it was approved"), nil
	}
	q := s.disp.finish(approval(r))
	a, err := s.disp.asks.ask(ctx, q, nil)
	switch {
	case errors.Is(err, errTimeout), ctx.Err() != nil, err == nil && a.Choice != event.Once:
		return serversNotice("info", "MCP server "+name+": nothing was approved"), nil
	case err != nil:
		return event.Notice{}, fmt.Errorf("MCP server %s was not approved: %w", name, err)
	}
	err = servers.Approve(r, func(old string) error {
		return s.record(audit.PinChange("approved", name, "", old, r.Hash, s.disp.person()))
	})
	if err == nil {
		err = s.retool()
	}
	return serversNotice("info", fmt.Sprintf("MCP server %s: %d tools are approved, and offered from the next request on", name, len(r.Pin.Tools))), err
}

// canAsk says that somebody answers questions now.
func (s *Session) canAsk() (can bool, err error) {
	err = s.owner.do(func(o *owned) { can = o.canAsk })
	return can, err
}

// retool offers the tools of servers as they are approved now. It is the
// worker's to call: nothing else reads the registries meanwhile.
func (s *Session) retool() error {
	if s.o.Retool == nil {
		return nil
	}
	next, err := s.o.Tools.Replace(s.o.Retool()...)
	if err != nil {
		return err
	}
	hand, err := next.With(tool.AskMCP()...)
	if err != nil {
		return err
	}
	s.o.Tools, s.disp.tools, s.hand.tools = next, next, hand
	return nil
}

// approval is the question whether a server is approved as it is now.
func approval(r world.ServerReport) event.Question {
	q := event.Question{Digest: r.Hash, Kind: event.AskMCP, Title: "approve the MCP server " + r.Entry.Name + " as it is now", Raised: true}
	var w lines
	w.fact("server", r.Entry.Name+"  "+r.Identity.String())
	for _, name := range r.Identity.EnvNames {
		w.fact("environ", name)
	}
	if r.Identity.Origin != "" {
		w.warn("network", "what it is told leaves this machine, to "+r.Identity.Origin)
	}
	if why := r.Entry.Unpinned(); why != "" {
		w.warn("warning", why)
	}
	for _, p := range r.Problems {
		for _, line := range visible.StrictLines(p) {
			w.warn("problem", line)
		}
	}
	for _, t := range r.Tools {
		w.blank()
		w.fact("tool", t.Name+"  "+string(t.State))
		switch {
		case t.Why != "":
			w.warn("refused", t.Why)
		case !t.Unchanged():
			for _, c := range t.Changes {
				w.add(event.LineDelete, visible.Strict(c.Field+" "+c.Before))
				w.add(event.LineAdd, visible.Strict(c.Field+" "+c.After))
			}
			w.add(event.LineModel, visible.Strict(t.JSON))
		}
	}
	w.blank()
	w.fact("hash", r.Hash)
	q.Lines = w.out
	return q
}
