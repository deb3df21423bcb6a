package agent

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// marks says of each effect what the set itself does not: that what would leave
// the machine with it looks like a secret, and that it can be put back.
func (d *Dispatcher) marks(s effect.Set) []gate.Mark {
	out := make([]gate.Mark, len(s.Effects))
	for i, e := range s.Effects {
		if x := e.Exec; x != nil && len(x.Hosts) > 0 {
			out[i].SecretHit = d.looksSecret(x.Script) || d.looksSecret(string(x.Stdin))
		}
		if e.MCP != nil && e.MCP.Remote {
			out[i].SecretHit = d.hidesSecret(e.MCP.Args)
		}
		if e.Kind == effect.Start && s.Effects[0].MCP != nil { // planned with the call, of the same pin
			out[i].Approved, out[i].Leaves = s.Effects[0].MCP.Pinned, e.Exec != nil && e.Exec.Profile == gate.ProfileOff
		}
		out[i].Undo = d.couldBack(e)
		out[i].Redirect = e.Kind == effect.Fetch && d.world.Redirected(e.Net)
	}
	return out
}

// looksSecret says that the redactor would mask something of a text.
func (d *Dispatcher) looksSecret(text string) bool { return d.redactor.Text(text) != text }

// hidesSecret says that arguments hold what looks like a secret: in one of
// their texts, under another spelling, cut over several of them, or over them
// and what left before.
func (d *Dispatcher) hidesSecret(args string) bool {
	names, values, ok := textsIn(args)
	if !ok || d.redactor.Completes(slices.Concat(values, names)...) {
		return true
	}
	for _, text := range slices.Concat([]string{args, strings.Join(values, "")}, names, values) {
		if slices.ContainsFunc(secret.Forms(text), d.looksSecret) {
			return true
		}
	}
	return false
}

// leaves remembers what goes to a server elsewhere with a call.
func (d *Dispatcher) leaves(s effect.Set) {
	for _, e := range s.Effects {
		if e.MCP != nil && e.MCP.Remote {
			names, values, _ := textsIn(e.MCP.Args) // what is no JSON was raised, and is sent to nobody
			d.redactor.Sent(slices.Concat(values, names)...)
		}
	}
}

// textsIn are the names and texts of arguments; ok is false when they are no
// JSON.
func textsIn(args string) (names, values []string, ok bool) {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return nil, nil, false
	}
	names, values = textsOf(v)
	return names, values, true
}

// textsOf lists the names of members and the texts in a JSON value, in the
// order in which canonical JSON has them.
func textsOf(v any) (names, values []string) {
	add := func(x any) {
		n, t := textsOf(x)
		names, values = append(names, n...), append(values, t...)
	}
	switch v := v.(type) {
	case string:
		values = []string{v}
	case []any:
		for _, x := range v {
			add(x)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			names = append(names, k)
			add(v[k])
		}
	}
	return names, values
}

// departs is told of each request that a command makes of the network. The
// evidence is written first: what cannot be recorded does not leave.
func (d *Dispatcher) departs(ctx context.Context, p proposal) func(world.Request) error {
	ctx = context.WithoutCancel(ctx) // a stopped command's requests are evidence too
	return func(q world.Request) error {
		if err := noEvidence(d.log.Event(ctx, requestRecord(p, q))); err != nil {
			return err
		}
		if !q.Ended {
			return nil
		}
		return d.owner.emit(requestEvent(p, q))
	}
}

// Words for how a request ended (event.Egress).
const (
	egressOK      = "ok"
	egressError   = "error"
	egressBlocked = "blocked"
)

func requestStatus(q world.Request) string {
	switch {
	case q.Allowed:
		return egressOK
	case q.Failed:
		return egressError
	default:
		return egressBlocked
	}
}

// doorOf says by which way requests of a call leave the machine.
func doorOf(s effect.Set) string {
	for _, e := range s.Effects {
		switch e.Kind {
		case effect.Fetch, effect.Search:
			return "web"
		case effect.Exec, effect.Start:
			return "command"
		case effect.Git:
			return "git"
		case effect.MCP:
			return "mcp"
		default:
		}
	}
	return "unknown"
}

// requestHost is the host with its port, which is 0 where none was understood.
func requestHost(q world.Request) string {
	if q.Port == 0 {
		return q.Host
	}
	return net.JoinHostPort(q.Host, strconv.Itoa(int(q.Port)))
}

// requestEvent is a request that has ended, for the front ends.
func requestEvent(p proposal, q world.Request) event.Egress {
	return event.Egress{
		Call: p.call.ID, Door: doorOf(p.set), Host: requestHost(q), Method: q.Method, Address: q.Address,
		Sent: q.Sent, Received: q.Received, Status: requestStatus(q), Reason: q.Reason,
	}
}

// requestRecord is a request as evidence: one record before it leaves, and one
// when it has ended; of one that is refused only the latter.
func requestRecord(p proposal, q world.Request) audit.Event {
	out := audit.Passage{
		Door: doorOf(p.set), Host: requestHost(q), Method: q.Method, Address: q.Address, AID: p.aid,
		Sent: q.Sent, Received: q.Received, Status: audit.OK, Reason: q.Reason,
	}
	switch {
	case !q.Ended:
		out.Reason = "begins"
	case q.Failed:
		out.Status = audit.Failed
	case !q.Allowed:
		out.Status = audit.StatusBlocked
	}
	return audit.Egress(out)
}
