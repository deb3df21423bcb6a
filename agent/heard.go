package agent

import (
	"context"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/guardian"
)

// heard is what hooks and the guardian's model said of one proposal. It is kept
// over the recheck, and asked for anew for every other proposal.
type heard struct {
	hooks   []gate.HookAnswer
	context []hookText // for the model
	review  *guardian.Verdict
}

// judged is a proposal with all that is said of it: what is decided about.
func (d *Dispatcher) judged(ctx context.Context, c event.Call, r *revision, review *guardian.Verdict) (proposal, error) {
	p, problem := d.propose(ctx, c, r, heard{review: review})
	if problem != nil || ctx.Err() != nil || p.nothing() {
		return p, problem
	}
	p, err := d.hearHooks(ctx, p)
	if err != nil || review != nil {
		return p, err
	}
	return d.hearReview(ctx, p)
}

// hear decides once more, with what was said.
func (p proposal) hear(h heard) proposal {
	p.heard = h
	p.input.Hooks, p.input.Review = h.hooks, h.review
	p.decision = gate.Decide(p.input)
	p.set, p.digest = p.decision.Set, p.decision.Set.Digest()
	return p
}

// hearHooks asks the hooks about a call that nothing else forbids.
func (d *Dispatcher) hearHooks(ctx context.Context, p proposal) (proposal, error) {
	if p.decision.Answer == gate.Deny {
		return p, nil
	}
	h := p.heard
	for _, k := range d.hooks.at(hook.BeforeCall, p.set.Tool) {
		a, err := d.askHook(ctx, k, d.hookMessage(k, hook.BeforeCall, p, nil))
		if err != nil {
			return p, err
		}
		h.hooks = append(h.hooks, gate.HookAnswer{Name: k.Name, Word: hookWord(a.Word), Reason: a.Reason})
		if a.Context != "" {
			h.context = append(h.context, hookText{k.Name, a.Context})
		}
	}
	if len(h.hooks) == 0 {
		return p, nil
	}
	return p.hear(h), nil
}

// listens says that somebody has to be heard about a call before it is decided.
func (d *Dispatcher) listens(p proposal) bool {
	return len(d.hooks.at(hook.BeforeCall, p.set.Tool)) > 0 || d.review != nil && d.level.Reviews(p.decision.Risk.Tier)
}

func hookWord(w hook.Word) gate.HookWord {
	switch w {
	case hook.Pass:
		return gate.HookPass
	case hook.Raise:
		return gate.HookRaise
	case hook.Veto:
		return gate.HookVeto
	}
	return gate.HookVeto
}

// hearReview asks the guardian's model about a call that nothing else forbids
// and whose risk its level reviews. Other arguments that it wants are planned
// and decided about like any call, and are always a person's to allow.
func (d *Dispatcher) hearReview(ctx context.Context, p proposal) (proposal, error) {
	if p.decision.Answer == gate.Deny || d.review == nil || !d.level.Reviews(p.decision.Risk.Tier) {
		return p, nil
	}
	v, err := d.reviewOf(ctx, p)
	if err != nil || ctx.Err() != nil {
		return p, err
	}
	if v.Word == guardian.Modify {
		other := &revision{by: theGuardian, args: v.Suggested, files: map[string]fileRevision{}}
		if q, problem := d.judged(ctx, p.call, other, &v); problem == nil && ctx.Err() == nil {
			return q, nil
		}
		v = guardian.Verdict{Word: guardian.Failed, Rationale: "it wanted other arguments, which do not fit: " + v.Rationale}
	}
	h := p.heard
	h.review = &v
	return p.hear(h), nil
}

// theGuardian is who revised, in the words of a result.
const theGuardian = "the guardian's review"

// reviewOf asks the model, and states what it said: also what it let pass.
func (d *Dispatcher) reviewOf(ctx context.Context, p proposal) (guardian.Verdict, error) {
	s, err := d.owner.state()
	if err != nil {
		return guardian.Verdict{}, err
	}
	r := guardian.Request{Set: p.set, Args: p.arguments(), Risk: p.decision.Risk}
	for _, m := range s.Messages[max(0, len(s.Messages)-guardian.RecentMessages):] {
		switch {
		case m.Reply != nil:
			r.Recent = append(r.Recent, guardian.Message{From: "assistant", Text: m.Reply.Text})
		case m.Call != nil:
			r.Recent = append(r.Recent, guardian.Message{From: "tool", Text: m.Call.Body})
		default:
			r.Recent = append(r.Recent, guardian.Message{From: "user", Text: m.User})
		}
	}
	masked := func(ctx context.Context, q guardian.Prompt) (string, error) {
		q.User = d.redactor.Text(q.User)
		return d.review(ctx, q)
	}
	v := guardian.Review(ctx, masked, r, randomHex(16))
	err = d.log.Event(context.WithoutCancel(ctx), audit.Event{
		Kind: "guardian", Title: "the guardian's review: " + v.Word.String(),
		Data: map[string]any{"verdict": v.Word.String(), "rationale": bounded(v.Rationale), "tool": p.set.Tool, "risk": p.decision.Risk.Tier.String()},
	})
	return v, noEvidence(err)
}

// bounded is text of others as it is kept in the log.
func bounded(s string) string {
	const most = 2 << 10
	if len(s) > most {
		s = cutBefore(s[:most]) + " …"
	}
	return s
}

// saidOfRisk is how the guardian's rules see a proposal, for its question.
func (d *Dispatcher) saidOfRisk(p proposal) []string {
	if d.level == guardian.Off {
		return nil
	}
	return slices.Concat([]string{p.decision.Risk.Tier.String()}, p.decision.Risk.Reasons)
}
