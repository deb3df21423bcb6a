package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// hooks are the hooks of a session, as they were approved at its start: by what
// runs, and by the interpreter that runs it.
type hooks struct {
	all  []hook.Hook
	pins map[string]effect.Program // by hook's name and file; missing: it could not be started then
}

// at are the hooks of an event, the user's first.
func (h hooks) at(e hook.Event, tool string) (out []hook.Hook) {
	for _, k := range h.all {
		if k.Wants(e, tool) {
			out = append(out, k)
		}
	}
	return out
}

func hookKey(k hook.Hook) string { return k.From + "\x00" + k.Name }

// hookText is what a hook adds for the model.
type hookText struct{ from, text string }

// pinHooks looks up with what each hook would run. One that cannot be started
// is told of now; its calls are vetoed. A sub-agent's are those of its parent:
// nothing is approved anew in the middle of a session.
func (d *Dispatcher) pinHooks(ctx context.Context, all []hook.Hook) error {
	if d.above != nil {
		d.hooks = d.above.parent.disp.hooks
		return nil
	}
	d.hooks = hooks{all, map[string]effect.Program{}}
	for _, k := range all {
		set, err := hookTool{k, nil}.Plan(ctx, d.world.View(d.seen), nil)
		if err != nil {
			err := d.owner.emit(event.Notice{
				Severity: "warn", Key: "hook:" + k.Name, Text: "the hook " + k.Name + " cannot be started, so what it guards is refused: " + visible.Strict(err.Error()),
				Hint: fmt.Sprintf("mend it in %s, or take it out", visible.Strict(k.From)),
			})
			if err != nil {
				return err
			}
			continue
		}
		d.hooks.pins[hookKey(k)] = set.Effects[0].Exec.Program
	}
	return nil
}

// hookTool starts one hook. It is offered to no model.
type hookTool struct {
	hook    hook.Hook
	message []byte
}

// Spec implements tool.Tool.
func (hookTool) Spec() tool.Spec { return tool.Spec{Name: "hook", Category: "other"} }

// Plan implements tool.Tool: the start of the hook's text, with the message as
// its input, in a sandbox that can write nothing and reaches nobody.
func (t hookTool) Plan(ctx context.Context, v tool.View, _ json.RawMessage) (effect.Set, error) {
	e, err := v.Command(ctx, tool.CommandSpec{Script: t.hook.Text, Language: t.hook.Language, Stdin: string(t.message), Seconds: int(t.hook.Timeout.Seconds()), Plain: true})
	if err != nil {
		return effect.Set{}, err
	}
	if e.Exec == nil {
		return effect.Set{}, errors.New("it is no program of its own")
	}
	e.Kind, e.Exec.Profile = effect.Start, gate.ProfileObserve
	switch t.hook.Language { // no module of the folder it stands in, where the model writes
	case "python":
		e.Exec.Argv = slices.Insert(e.Exec.Argv, 1, "-I")
	case "node":
		e.Exec.Argv = []string{e.Exec.Program.Path, "-e", asModule, "--", t.hook.Text}
	}
	return effect.Set{Tool: "hook", Title: "hook " + t.hook.Name, Effects: []effect.Effect{e}}, nil
}

// asModule runs its argument as a CommonJS module that stands in the root folder:
// what it requires or imports by name is looked for there.
const asModule = `const text=process.argv.splice(1,1)[0],{Module}=require("module"),m=new Module("/hook.cjs");m.filename="/hook.cjs";m.paths=[];m._compile(text,"/hook.cjs")`

// Run implements tool.Tool.
func (t hookTool) Run(ctx context.Context, e tool.Env, planned effect.Set) (tool.Result, error) {
	x, err := e.Exec(ctx, planned.Effects[0])
	r := tool.Result{Status: tool.OK, Exit: &x.Code, Signal: x.Signal}
	switch {
	case err != nil:
		return r, err
	case x.TimedOut:
		r.Status = tool.Timeout
		return r, fmt.Errorf("it did not end within %s", t.hook.Timeout)
	case x.Code != 0 || x.Signal != "":
		return r, fmt.Errorf("it ended with exit code %d", x.Code)
	}
	return r, nil
}

// hookMessage is what a hook is told of a call; res is nil before the call.
func (d *Dispatcher) hookMessage(k hook.Hook, e hook.Event, p proposal, res *event.CallResult) hook.Message {
	m := hook.Message{Event: e, Hook: k.Name, Call: &hook.Call{
		ID: p.call.ID, Tool: p.set.Tool, Args: p.arguments(), Effects: p.set.Canonical(), Digest: p.digest.String(),
	}}
	if !json.Valid(m.Call.Args) {
		m.Call.Args = json.RawMessage("null")
	}
	if res != nil {
		m.Call.Status, m.Call.Exit, m.Call.Output = res.Status, res.Exit, res.Body
	}
	return m
}

// askHook starts a hook and reads its answer. Whatever is no answer vetoes. The
// error means that the session cannot go on.
func (d *Dispatcher) askHook(ctx context.Context, k hook.Hook, m hook.Message) (hook.Answer, error) {
	s, err := d.owner.state()
	if err != nil {
		return hook.Answer{}, err
	}
	if m.Turn == 0 {
		m.Turn = s.Turn
	}
	m.Session, m.Workspace = s.ID, d.world.Root()
	message, err := m.Encode()
	if err != nil {
		return hook.Answer{Reason: failedHook(err)}, nil
	}
	out, err := d.startHook(ctx, k, message)
	if lost(err) {
		return hook.Answer{}, err
	}
	var a hook.Answer
	if err == nil {
		a, err = hook.Parse(m.Event, out)
	}
	if err != nil {
		return hook.Answer{Reason: failedHook(err)}, nil
	}
	a.Reason, a.Context = d.redactor.Text(a.Reason), d.redactor.Text(a.Context)
	return a, nil
}

// failedHook is the reason of a hook that gave no answer.
func failedHook(err error) string { return "it failed, and what it guards is refused: " + err.Error() }

// startHook walks the road for one hook: it is decided about, witnessed, planned
// again, run and its outcome stated, like a call; it calls no hooks itself.
func (d *Dispatcher) startHook(ctx context.Context, k hook.Hook, message []byte) ([]byte, error) {
	p, err := d.proposeHook(ctx, k, message)
	if err != nil {
		return nil, err
	}
	v := verdict{decision: audit.Allowed, by: audit.By(p.decision.By), reason: p.decision.Reason}
	if p.decision.Answer != gate.Allow {
		v.decision = audit.Blocked
	}
	token, err := d.log.Intent(context.WithoutCancel(ctx), d.intent(p, v))
	if err != nil {
		return nil, noEvidence(err)
	}
	settle := func(o audit.Outcome, why error) ([]byte, error) {
		if err := d.writeOutcome(token, o); err != nil {
			return nil, err
		}
		return nil, why
	}
	if !v.permits() {
		return settle(audit.Outcome{Status: audit.StatusBlocked, Reason: v.reason}, errors.New(v.reason))
	}
	again, err := d.proposeHook(ctx, k, message)
	if err != nil || again.digest != p.digest || again.decision.Answer != gate.Allow {
		return settle(audit.Outcome{Status: audit.StatusBlocked, Reason: "changed"}, errors.New("it changed while it was started"))
	}
	var answer capture
	began := d.clock()
	res, err := d.perform(ctx, p, world.Grant{Token: token, Output: answer.write})
	if err != nil {
		res = failure(err, res)
	}
	if ctx.Err() != nil {
		res.Status = tool.Cancelled
	}
	res.Body = answer.text()
	if _, settleErr := settle(outcome(res, d.clock().Sub(began)), nil); settleErr != nil {
		return nil, settleErr
	}
	return []byte(res.Body), err
}

// proposeHook plans and decides the start of a hook.
func (d *Dispatcher) proposeHook(ctx context.Context, k hook.Hook, message []byte) (proposal, error) {
	t := hookTool{k, message}
	set, err := t.Plan(ctx, d.world.View(d.seen), nil)
	if err != nil {
		return proposal{}, err
	}
	in, epoch, err := d.judge()
	if err != nil {
		return proposal{}, err
	}
	pinned, ok := d.hooks.pins[hookKey(k)]
	known := slices.ContainsFunc(d.hooks.all, func(h hook.Hook) bool { return hookKey(h) == hookKey(k) && h.Hash() == k.Hash() })
	in.Set, in.Origin, in.Limits = set, gate.OriginNative, unplanned(in.Limits)
	in.Marks = []gate.Mark{{Approved: ok && known && set.Effects[0].Exec.Program == pinned}}
	dec := gate.Decide(in)
	p := proposal{aid: newAID(), call: event.Call{Tool: "hook", Args: json.RawMessage(message), Origin: "native"}, tool: t, model: set, set: dec.Set, digest: dec.Set.Digest(), decision: dec, input: in, epoch: epoch}
	return p, nil
}

// unplanned are limits without plan mode. A hook is no act of the model: it was
// let in, and can write nothing; held to plan mode it would veto every read.
func unplanned(l gate.Limits) gate.Limits {
	l.Plan = false
	if l.Parent != nil {
		parent := unplanned(*l.Parent)
		l.Parent = &parent
	}
	return l
}

// capture keeps the beginning of a hook's standard output: one byte more than
// an answer may have.
type capture struct {
	mu sync.Mutex // two streams are read by two goroutines
	b  []byte
}

func (c *capture) write(stream string, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stream == "stdout" {
		c.b = append(c.b, b[:min(len(b), hook.MaxAnswer+1-len(c.b))]...)
	}
}

func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.b)
}

// afterCall tells the hooks what came of a call, and what they add for the
// model. It is too late for a veto: a hook that fails is told of, to the person
// and to the model.
func (d *Dispatcher) afterCall(ctx context.Context, p proposal, res *event.CallResult) error {
	said := p.heard.context
	for _, k := range d.hooks.at(hook.AfterCall, p.set.Tool) {
		a, err := d.askHook(ctx, k, d.hookMessage(k, hook.AfterCall, p, res))
		if err != nil {
			return err
		}
		switch {
		case a.Word != hook.Pass:
			if err := d.tellFailed(k, a); err != nil {
				return err
			}
			said = append(said, hookText{k.Name, a.Reason})
		case a.Context != "":
			said = append(said, hookText{k.Name, a.Context})
		}
	}
	for _, s := range said {
		res.Body = strings.TrimRight(res.Body, "\n") + "\n[the hook " + s.from + " says]\n" + s.text
		if res.Untrusted == "" {
			res.Untrusted = "command" // which a hook is
		}
	}
	return nil
}

func (d *Dispatcher) tellFailed(k hook.Hook, a hook.Answer) error {
	return d.owner.emit(event.Notice{Severity: "warn", Key: "hook:" + k.Name, Text: "the hook " + k.Name + ": " + visible.Strict(a.Reason), Hint: "it stands in " + visible.Strict(k.From)})
}

// atTurn tells the hooks of the beginning or the end of a turn. stop says why
// the turn may not begin.
func (d *Dispatcher) atTurn(ctx context.Context, e hook.Event, m hook.Message) (said []hookText, stop string, err error) {
	for _, k := range d.hooks.at(e, "") {
		m.Event, m.Hook = e, k.Name
		a, err := d.askHook(ctx, k, m)
		switch {
		case err != nil:
			return nil, "", err
		case a.Word != hook.Pass && e == hook.TurnStart:
			return nil, fmt.Sprintf("the hook %s (%s) stops the turn: %s", k.Name, k.From, visible.Once(cmp.Or(a.Reason, "it gave no reason"))), nil
		case a.Word != hook.Pass:
			if err := d.tellFailed(k, a); err != nil {
				return nil, "", err
			}
		case a.Context != "":
			said = append(said, hookText{k.Name, a.Context})
		}
	}
	return said, "", nil
}

// taintedBy says that what hooks said brings untrusted text into the context.
func (d *Dispatcher) taintedBy(said []hookText) (out []event.Body, err error) {
	for _, h := range said {
		more, err := d.taint(event.CallResult{Untrusted: "command", Body: h.text, Title: "hook " + h.from})
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}
