package world

import (
	"context"
	"errors"
	"net/netip"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/websearch"
)

var errNoWeb = errors.New("reading the web is switched off (web.fetch in config.json)")

// Fetch implements tool.View: the address is understood, and nobody is asked
// for it.
func (v *view) Fetch(_ context.Context, url, reason string) (effect.Effect, error) {
	if v.o.Web == nil {
		return effect.Effect{}, errNoWeb
	}
	a, err := v.o.Web.Plan(url)
	if err != nil {
		return effect.Effect{}, &tool.RefusedError{Err: err}
	}
	return effect.Effect{Kind: effect.Fetch, Net: &effect.NetCall{
		URL: a.URL, Host: a.Host, Port: int(a.Port), Method: "GET", Reason: reason, SecretHit: len(a.Suspicious) > 0,
	}}, nil
}

// Search implements tool.View.
func (v *view) Search(_ context.Context, query string) (effect.Effect, error) {
	if v.o.Web == nil {
		return effect.Effect{}, websearch.ErrNoBackend
	}
	q, err := v.o.Web.PlanSearch(query)
	if err != nil {
		return effect.Effect{}, err
	}
	return effect.Effect{Kind: effect.Search, Net: &effect.NetCall{
		Query: q.Text, Host: q.Host, Port: int(q.Port), Method: "GET", SecretHit: len(q.Suspicious) > 0,
	}}, nil
}

// Redirected says that another host's redirect led to this host.
func (w *World) Redirected(n *effect.NetCall) bool {
	if w.o.Web == nil || n == nil || n.URL == "" {
		return false
	}
	a, err := w.o.Web.Plan(n.URL)
	return err == nil && a.Redirected
}

// Fetch implements tool.Env. The evidence is written before anything leaves.
func (v *env) Fetch(ctx context.Context, e effect.Effect) (tool.Page, error) {
	if err := v.covers(e, effect.Fetch); err != nil {
		return tool.Page{}, err
	}
	if v.o.Web == nil {
		return tool.Page{}, errNoWeb
	}
	if err := v.leaves(e.Net); err != nil {
		return tool.Page{}, err
	}
	p, err := v.o.Web.Fetch(ctx, e.Net.URL)
	if tellErr := v.concluded(e.Net, p, err); tellErr != nil {
		return tool.Page{}, errors.Join(err, tellErr)
	}
	out := tool.Page{
		URL: p.URL, Status: p.Status, Type: p.Type, Size: p.Size, Title: p.Title, Text: p.Text, More: p.More, Cut: p.Cut, Redirect: p.Redirect,
	}
	for _, l := range p.Links {
		out.Links = append(out.Links, tool.PageLink(l))
	}
	return out, err
}

// Search implements tool.Env.
func (v *env) Search(ctx context.Context, e effect.Effect, n int) ([]tool.Hit, error) {
	if err := v.covers(e, effect.Search); err != nil {
		return nil, err
	}
	if v.o.Web == nil {
		return nil, websearch.ErrNoBackend
	}
	if err := v.leaves(e.Net); err != nil {
		return nil, err
	}
	hits, err := v.o.Web.Search(ctx, e.Net.Query, n)
	if tellErr := v.concluded(e.Net, websearch.Page{Sent: int64(len(e.Net.Query))}, err); tellErr != nil {
		return nil, errors.Join(err, tellErr)
	}
	out := make([]tool.Hit, 0, len(hits))
	for _, h := range hits {
		out = append(out, tool.Hit(h))
	}
	return out, err
}

// leaves states that a request is about to leave the machine.
func (v *env) leaves(n *effect.NetCall) error {
	return v.told(Request{Method: n.Method, Host: n.Host, Port: uint16(n.Port), Allowed: true})
}

// concluded states how a request ended; one of the cache never left.
func (v *env) concluded(n *effect.NetCall, p websearch.Page, err error) error {
	q := Request{Method: n.Method, Host: n.Host, Port: uint16(n.Port), Allowed: err == nil, Ended: true, Failed: err != nil, Sent: p.Sent, Received: p.Size}
	if at, parseErr := netip.ParseAddrPort(p.Address); parseErr == nil {
		q.Address = at.Addr().String()
	}
	switch {
	case err != nil:
		q.Reason = err.Error()
	case p.Cached:
		q.Reason, q.Sent, q.Received = "from the cache of this session", 0, 0
	}
	return v.told(q)
}
