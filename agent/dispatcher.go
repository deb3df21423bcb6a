package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A Dispatcher takes one call at a time down the road of docs/architecture.md,
// section 1. It is the only caller of Tool.Run.
type Dispatcher struct {
	tools *tool.Registry
	world *world.World
	owner *owner
	log   evidence
	above *lineage     // of a sub-agent; nil otherwise
	step  func(string) // crash points of the tests; does nothing otherwise
	clock func() time.Time

	deciding
	questioning
	running
	telling
}

// deciding is what the second step of the road needs.
type deciding struct {
	judge   func() (gate.Input, int, error) // all that a decision needs besides the effects, and the epoch of the policy
	hooks   hooks
	level   guardian.Level
	review  guardian.Reviewer                                      // nil: no model is asked
	no      *rejections                                            // of this turn
	keeps   func(context.Context, gate.Offer, rulebook.Kept) error // remembers what the person chose to keep
	history func() []string                                        // commands of earlier turns here, oldest first
	past    gate.Past                                              // those, parsed, once a question needed them
}

// questioning is what its third step needs.
type questioning struct {
	asks    *owner // through whom the person is asked
	front   audit.Front
	preview bool // the front end shows files itself
}

// running is what the run needs.
type running struct {
	undo     *undo.Store // nil: nothing is kept for undo
	jobs     *jobs       // commands in the background
	spawn    spawner     // starts sub-agents
	trailers trailers    // of commits
}

// telling is what makes of a run's end what the model reads.
type telling struct {
	redactor *secret.Redactor
	limit    func() int                           // bytes of a result's body that the model reads
	store    func(name string, body []byte) error // keeps an output that was cut
	pictures func([]byte) (string, error)         // keeps one, under the name of its hash
}

// callOK is the status of a call that may go to the gate.
const callOK = "ok"

// maxReplans is how often a call goes back to the start when the world changed
// between the decision and the run.
const maxReplans = 3

// A proposal is a call with its effects and what the gate says of them.
type proposal struct {
	call     event.Call
	tool     tool.Tool
	model    effect.Set // as the tool planned it
	revision *revision  // what was made of that; nil: nothing
	epoch    int        // of the policy that decided
	set      effect.Set // what would be done
	digest   effect.Digest
	aid      string // of its intent; "" before there is one
	decision gate.Decision
	input    gate.Input

	news []event.Line    // what changed since this was asked before
	refs map[int]lineRef // by line of its question: what a review can leave out

	heard heard
}

// nothing says that the person left out all that there was.
func (p proposal) nothing() bool { return len(p.set.Effects) == 0 && len(p.model.Effects) > 0 }

// A verdict is the last word on a proposal. The zero verdict is none of the
// words, and the log refuses it.
type verdict struct {
	decision audit.Decision
	by       audit.By
	reason   string
	asked    *audit.Asked
}

func (v verdict) permits() bool {
	return v.decision == audit.Allowed || v.decision == audit.Approved
}

// Call takes one call of the model from proposal to result. The result is in
// the session's log when it returns. An error means that the session cannot go
// on: a log takes nothing more.
func (d *Dispatcher) Call(ctx context.Context, c event.Call) (event.CallResult, error) {
	line, err := d.trailer(c)
	if err != nil {
		return event.CallResult{}, err
	}
	d.trailers.line = line
	why := ""
	for range maxReplans {
		if ctx.Err() != nil {
			return d.cancelled(c)
		}
		res, changed, err := d.once(ctx, c, why)
		if err != nil || changed == "" {
			return res, err
		}
		why = changed
	}
	res := d.untried(c, tool.Blocked, audit.Blocked, "what the call touches kept changing while it was decided about; nothing was done: wait until nobody else writes there, then try again")
	return res, d.owner.emit(res) // each walk has its record
}

// once is one walk down the road; was says why it is walked anew. changed says
// what the recheck found different from what was decided about: nothing ran then.
func (d *Dispatcher) once(ctx context.Context, c event.Call, was string) (res event.CallResult, changed string, err error) {
	p, problem := d.judged(ctx, c, nil, nil)
	if lost(problem) {
		return res, "", problem
	}
	if ctx.Err() != nil {
		res, err = d.cancelled(c)
		return res, "", err
	}
	if problem != nil {
		res, err = d.unfit(c, newAID(), problem)
		return res, "", err
	}
	aid := newAID()
	p.aid = aid
	if was != "" {
		p.news = []event.Line{{Kind: event.LineWarn, Text: visible.Strict("changed   since it was decided about, so nothing was done: " + was)}}
	}
	p, v, err := d.settled(ctx, p)
	if unfit, ok := errors.AsType[*unfitError](err); ok {
		res, err = d.unfit(c, aid, unfit.error)
		return res, "", err
	}
	if err != nil {
		return res, "", err
	}
	if err := d.owner.emit(d.decidedEvent(p, v)); err != nil {
		return res, "", err
	}
	d.step("decided")
	token, err := d.witness(ctx, p, v)
	if err != nil {
		return res, "", err
	}
	d.step("intent")
	if !v.permits() {
		res, err = d.refused(p, v, token)
		return res, "", err
	}
	why := d.recheck(ctx, p, v)
	if ctx.Err() != nil {
		res, err = d.stoppedBefore(c, token)
		return res, "", err
	}
	if why != "" {
		return res, why, d.writeOutcome(token, audit.Outcome{Status: audit.StatusBlocked, Reason: "changed: " + why})
	}
	d.step("recheck")
	res, err = d.conclude(ctx, p, v, token, d.run(ctx, p, token))
	return res, "", err
}

// propose does the first two steps: plan and decide. problem is what the model
// is told when there is nothing that could be decided about.
// A revision stands in for what the model proposed; h is what was said of it.
func (d *Dispatcher) propose(ctx context.Context, c event.Call, r *revision, h heard) (p proposal, problem error) {
	if c.Status != callOK {
		return p, d.unusable(c)
	}
	t, err := d.tools.Lookup(c.Tool)
	if err != nil {
		return p, err
	}
	model, set, err := d.plan(ctx, t, c, r)
	if err != nil {
		return p, err
	}
	if len(model.Effects) == 0 && !(model.Free && t.Spec().Free) {
		return p, errors.New("the call would have no effect: check its arguments")
	}
	p = proposal{call: c, tool: t, model: model, revision: r, set: set, refs: map[int]lineRef{}}
	if p.input, p.epoch, err = d.judge(); err != nil {
		return p, err
	}
	p.input.Set, p.input.Marks, p.input.Origin, p.digest = set, d.marks(set), gate.ParseOrigin(c.Origin), set.Digest()
	if p.nothing() {
		p.decision.Reason = "nothing is left of the proposal: put something back, or reject it"
		return p, nil
	}
	return p.hear(h), nil
}

// plan plans a call, and makes of it what the revision wants.
func (d *Dispatcher) plan(ctx context.Context, t tool.Tool, c event.Call, r *revision) (model, set effect.Set, err error) {
	args := c.Args
	if r != nil && r.args != nil {
		args = r.args
	}
	if !t.Spec().Free {
		if err := d.world.Here(); err != nil {
			return model, set, err
		}
	}
	if model, err = t.Plan(ctx, witnessed{d.world.View(d.seen), d.trailers.line}, args); err != nil {
		return model, set, err
	}
	return model, r.apply(model), nil
}

// witness makes durable what is about to be done: in the session's log where
// more than a read is begun, so that a loss of power leaves no act without its
// beginning, and then as evidence.
func (d *Dispatcher) witness(ctx context.Context, p proposal, v verdict) (audit.Token, error) {
	if v.permits() && acts(p.set) {
		if err := d.owner.barrier(); err != nil {
			return audit.Token{}, err
		}
	}
	// A turn that is stopped now is evidence, and no reason to lose any.
	token, err := d.log.Intent(context.WithoutCancel(ctx), d.intent(p, v))
	if err != nil {
		err = noEvidence(err)
		return token, errors.Join(err, d.owner.emit(d.untried(p.call, tool.Blocked, audit.Blocked, err.Error())))
	}
	return token, d.owner.emit(headOf(d.log))
}

// acts says that a set does more than read.
func acts(s effect.Set) bool {
	return slices.ContainsFunc(s.Effects, func(e effect.Effect) bool { return e.Kind != effect.Read && e.Kind != effect.Walk })
}

// recheck plans and decides again, right before the run. It says what is
// different; "" when nothing is. An approval answers ask.
func (d *Dispatcher) recheck(ctx context.Context, p proposal, v verdict) string {
	again, problem := d.propose(ctx, p.call, p.revision, p.heard)
	switch {
	case problem == nil && v.decision == audit.Approved && again.epoch != p.epoch:
		return "the policy was read again after the yes"
	case problem != nil:
		return problem.Error()
	case again.digest != p.digest:
		return differs(p.set, again.set)
	case again.decision.Answer == gate.Allow:
		return ""
	case again.decision.Answer == gate.Ask && v.decision == audit.Approved:
		return ""
	default:
		return "a stricter rule is in force: " + again.decision.Reason
	}
}

// A finished is what came of a run, before it stands in the logs.
type finished struct {
	out     tool.Result
	took    time.Duration
	undoErr error  // what it changed could not be recorded: the session cannot go on
	running string // the job that goes on in the background; "" when it is over
}

// run runs a call that was permitted.
func (d *Dispatcher) run(ctx context.Context, p proposal, token audit.Token) finished {
	began := d.clock()
	shown := d.newOutputs(p.call.ID)
	var done finished
	keeping, err := d.keepBefore(ctx, p)
	if err != nil {
		shown.end()
		return finished{out: failure(err, tool.Result{}), took: d.clock().Sub(began)}
	}
	filling := false
	out, err := d.perform(ctx, p, world.Grant{
		Token:  token,
		Output: shown.write,
		Ask: func(ctx context.Context, q string, options []string) (string, error) {
			return d.askUser(ctx, p, q, options)
		},
		Todo:    func(items []tool.TodoItem) error { return d.owner.emit(todoEvent(items)) },
		Request: d.departs(ctx, p),
		Form:    d.fills(p), NoForm: d.unfilled(p),
		Filling: func(tool string) {
			filling = true
			d.takesLong("first " + tool + " command here: it fills a private cache, once")
		},
		Start: func(command func(context.Context, func(string, []byte)) (tool.Exit, error)) (id string, err error) {
			done.running, err = d.jobs.start(p, token, command)
			return done.running, err
		},
		Job:   d.jobs.ask,
		Spawn: d.spawn(ctx, p, token, shown.write),
	})
	shown.end()
	if filling {
		d.takesLong("")
	}
	d.step("ran")
	if err != nil {
		out = failure(err, out)
	}
	if ctx.Err() != nil && out.Status != tool.OK && done.running == "" {
		out.Status = tool.Cancelled
	}
	done.out, done.undoErr = d.keptAfter(keeping, out, done.running)
	done.took = d.clock().Sub(began)
	return done
}

// conclude puts what came of a run into both logs. That of a job is written when
// it ends.
func (d *Dispatcher) conclude(ctx context.Context, p proposal, v verdict, token audit.Token, done finished) (event.CallResult, error) {
	if done.running == "" {
		if err := d.writeOutcome(token, outcome(done.out, done.took)); err != nil {
			return event.CallResult{}, err
		}
	}
	d.step("outcome")
	if found := d.foundNotice(p.call.ID, done.out); len(found) > 0 {
		if err := d.owner.emit(found...); err != nil {
			return event.CallResult{}, err
		}
	}
	res, err := d.close(ctx, p, v, done.out, done.took)
	return res, errors.Join(done.undoErr, err)
}

// perform is the only place where a tool runs.
func (d *Dispatcher) perform(ctx context.Context, p proposal, g world.Grant) (tool.Result, error) {
	g.Set = p.set
	d.leaves(p.set)
	return p.tool.Run(ctx, d.world.Env(g), p.set)
}

// failure is the result of a Run that returned an error.
func failure(err error, out tool.Result) tool.Result {
	out.Status = tool.Error
	if _, changed := errors.AsType[*tool.ChangedError](err); changed {
		out.Status = tool.Blocked
	}
	if errors.Is(err, context.Canceled) {
		out.Status = tool.Cancelled
	}
	out.Body = strings.TrimSpace(out.Body + "\n" + err.Error())
	return out
}

// takesLong says why what runs now takes long; "" takes it back.
func (d *Dispatcher) takesLong(why string) {
	_ = d.owner.do(func(o *owned) { // a session that has ended shows nothing
		w := o.working
		w.Says = why
		o.tell(w)
	})
}
