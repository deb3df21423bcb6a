package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// fills puts forms of the server that p calls to the person. What comes back is
// data that goes to that server: the floor and the rules that deny are asked, a
// secret in it is asked about once more, and it is on record before it leaves.
// nil: p calls no server.
func (d *Dispatcher) fills(p proposal) func(context.Context, world.Form) (world.Filled, error) {
	i := slices.IndexFunc(p.set.Effects, func(e effect.Effect) bool { return e.MCP != nil })
	if i < 0 {
		return nil
	}
	call := *p.set.Effects[i].MCP
	return func(ctx context.Context, f world.Form) (world.Filled, error) {
		if in, _, err := d.judge(); err != nil || !in.CanAsk {
			d.unfilled(p)("nobody can be asked")
			return world.Filled{}, err
		}
		q := d.formQuestion(p, call, f)
		if len(linesBytes(q.Lines)) > maxQuestion {
			d.unfilled(p)("it is too long")
			return world.Filled{Action: world.Decline}, nil
		}
		a, err := d.asks.ask(ctx, q, nil)
		switch {
		case errors.Is(err, errEnded):
			return world.Filled{}, err
		case err != nil, a.Choice == event.Deny && a.Cancelled, a.Choice == event.Say && event.CheckForm(q.Form, a.Form) != nil:
			return world.Filled{}, nil // stopped, too late, or put away
		case a.Choice != event.Say:
			return world.Filled{Action: world.Decline}, nil
		}
		asked := &audit.Asked{Question: q.ID, Lines: linesBytes(q.Lines), Unfenced: a.Unfenced}
		return d.handOver(ctx, p, call, a.Form, asked)
	}
}

// unfilled tells the person why a form was not put, once a reason and call.
func (d *Dispatcher) unfilled(p proposal) func(string) {
	return func(why string) {
		_ = d.owner.emit(event.Notice{Severity: "warn", Key: "form", Text: "a form of the MCP server was not put to you (" + visible.Strict(p.set.Title) + "): " + visible.Strict(why)}) // an ended session has nobody to tell
	}
}

// formQuestion is the question that a form is.
func (d *Dispatcher) formQuestion(p proposal, call effect.MCPCall, f world.Form) event.Question {
	q := event.Question{Call: p.call.ID, Tool: p.set.Tool, Kind: event.AskUser, Title: "the MCP server " + visible.Strict(f.Server) + " asks you", From: visible.Strict(f.Server)}
	var w lines
	w.fact("server", f.Server+"  "+call.Identity)
	w.fact("called", p.set.Title)
	if call.Remote {
		w.warn("network", "what you fill in leaves this machine")
	}
	for _, line := range visible.StrictLines(f.Message) {
		w.add(event.LineModel, line)
	}
	for _, x := range f.Fields {
		field := event.Field{
			Name: x.Name, Title: visible.Strict(x.Title), About: visible.Strict(x.About), Kind: event.FieldKind(x.Kind), Options: x.Options,
			Default: x.Default, Required: x.Required, Format: x.Format, Min: x.Min, Max: x.Max,
		}
		for _, l := range x.Labels {
			field.Labels = append(field.Labels, visible.Strict(l))
		}
		if field.Check(field.Default) != nil {
			field.Default = ""
		}
		q.Form = append(q.Form, field)
	}
	q.Lines = w.out
	q = d.finish(q)
	q.Digest = event.HashForm(q.Lines, q.Form)
	return q
}

// formTool stands for the handing over of a form's answer in the log. It is
// offered to no model, and runs nothing: the call that it belongs to goes on.
type formTool struct{}

// Spec implements tool.Tool.
func (formTool) Spec() tool.Spec { return tool.Spec{Name: "mcp_form", Category: "mcp"} }

// Plan implements tool.Tool.
func (formTool) Plan(context.Context, tool.View, json.RawMessage) (effect.Set, error) {
	return effect.Set{}, errNoForm
}

// Run implements tool.Tool.
func (formTool) Run(context.Context, tool.Env, effect.Set) (tool.Result, error) {
	return tool.Result{}, errNoForm
}

var errNoForm = errors.New("a form is filled in by the person, while a server asks for it")

// answerProposal is the answer to a form as what it is: data for the server.
func (d *Dispatcher) answerProposal(call effect.MCPCall, values map[string]string) (proposal, error) {
	args, err := json.Marshal(values)
	if err != nil {
		return proposal{}, err
	}
	call.Tool, call.Args = world.AnswerForm, string(args)
	set := effect.Set{Tool: formTool{}.Spec().Name, Title: "answer a form of " + call.Server, Effects: []effect.Effect{{Kind: effect.MCP, MCP: &call}}}
	p := proposal{aid: newAID(), call: event.Call{Tool: set.Tool, Args: args, Origin: "native"}, tool: formTool{}, model: set, set: set, digest: set.Digest()}
	if p.input, p.epoch, err = d.judge(); err != nil {
		return p, err
	}
	p.input.Set, p.input.Marks, p.input.Origin = set, d.marks(set), gate.OriginNative
	p.decision = gate.Decide(p.input)
	if p.decision.Answer == gate.Deny && p.decision.Rule.ID == "" { // the table's word, or nobody's: the person filled it in, and the floor is left to be asked
		p.input.Typed = true
		p.decision = gate.Decide(p.input)
	}
	return p, nil
}

// handOver decides about an answer, states it, and gives it to the server.
func (d *Dispatcher) handOver(ctx context.Context, of proposal, call effect.MCPCall, values map[string]string, asked *audit.Asked) (world.Filled, error) {
	p, err := d.answerProposal(call, values)
	if err != nil {
		return world.Filled{}, err
	}
	v := verdict{decision: audit.Approved, by: d.person(), reason: "the person filled it in", asked: asked}
	switch {
	case p.decision.Answer == gate.Deny:
		v = verdict{decision: audit.Blocked, by: audit.By(p.decision.By), reason: p.decision.Reason, asked: asked}
	case p.input.Marks[0].SecretHit:
		if v, err = d.askAboutSecret(ctx, of, p); err != nil {
			return world.Filled{}, err
		}
	}
	token, err := d.log.Intent(context.WithoutCancel(ctx), d.intent(p, v))
	if err != nil {
		return world.Filled{}, noEvidence(err)
	}
	if !v.permits() {
		status := audit.Rejected
		if v.decision == audit.Blocked {
			status = audit.StatusBlocked
			d.unfilled(of)(v.reason)
		}
		return world.Filled{Action: world.Decline}, d.writeOutcome(token, audit.Outcome{Status: status, Reason: v.reason})
	}
	if call.Remote {
		q := world.Request{Method: "FORM", Host: call.Server, Allowed: true, Ended: true, Sent: int64(len(p.call.Args))}
		if err := d.departs(ctx, of)(q); err != nil {
			return world.Filled{}, err
		}
	}
	if err := d.writeOutcome(token, audit.Outcome{Status: audit.OK}); err != nil {
		return world.Filled{}, err
	}
	return world.Filled{Action: world.Accept, Values: values}, nil
}

// askAboutSecret asks once more about an answer that would carry away what looks
// like a secret. The values are masked as everywhere.
func (d *Dispatcher) askAboutSecret(ctx context.Context, of, p proposal) (verdict, error) {
	var w lines
	call := p.set.Effects[0].MCP
	w.fact("server", call.Server+"  "+call.Identity)
	w.warn("secret", "what you filled in holds what looks like a key or a token, and it would leave this machine")
	w.fact("answer", call.Args)
	q := d.finish(event.Question{
		Digest: p.digest.String(), Call: of.call.ID, Tool: p.set.Tool, Kind: event.AskMCP, Raised: true,
		Title: fmt.Sprintf("send what looks like a secret to the MCP server %s?", visible.Strict(call.Server)), Lines: w.out,
	})
	a, err := d.asks.ask(ctx, q, nil)
	if errors.Is(err, errEnded) {
		return verdict{}, err
	}
	asked := &audit.Asked{Question: q.ID, Lines: linesBytes(q.Lines), Unfenced: a.Unfenced}
	if err == nil && a.Choice == event.Once {
		return verdict{decision: audit.Approved, by: d.person(), asked: asked}, nil
	}
	return verdict{decision: audit.Denied, by: d.person(), reason: strings.TrimSpace("it looks like a secret. " + a.Reason), asked: asked}, nil
}
