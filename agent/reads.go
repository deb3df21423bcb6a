package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/audit"
)

// maxReads is how many reads of one reply run at the same time.
const maxReads = 4

// next does the calls at the front of a reply that can be done now: several
// reads, or one call of any kind. There is a result for each of them.
func (d *Dispatcher) next(ctx context.Context, calls []event.Call) ([]event.CallResult, error) {
	if reads := d.reads(ctx, calls); len(reads) > 0 {
		return d.together(ctx, reads)
	}
	res, err := d.Call(ctx, calls[0])
	return []event.CallResult{res}, err
}

// reads are the calls at the front of a reply that only read in the workspace
// and that nobody has to be asked about. They can run side by side: none of
// them can change what another one sees. Any other call is a barrier.
func (d *Dispatcher) reads(ctx context.Context, calls []event.Call) []proposal {
	if len(calls) < 2 {
		return nil
	}
	var out []proposal
	for _, c := range calls {
		p, problem := d.propose(ctx, c, nil, heard{})
		if problem != nil || p.decision.Answer != gate.Allow || !onlyReads(p.set) || d.listens(p) {
			break
		}
		if no, err := d.rejected(p); err != nil || no.decision != "" {
			break
		}
		out = append(out, p)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func onlyReads(s effect.Set) bool {
	return len(s.Effects) > 0 && !slices.ContainsFunc(s.Effects, func(e effect.Effect) bool {
		return e.Kind != effect.Read && e.Kind != effect.Walk || e.Path.Outside || e.Path.Secret
	})
}

// A side is one of several reads on its way down the road.
type side struct {
	proposal
	verdict verdict
	token   audit.Token
	why     string // what changed since it was decided about
	done    finished
	ran     bool
	err     error
}

// together takes reads down the road side by side. Each has its own intent,
// which share the wait for the disk; results come in the order of the calls.
func (d *Dispatcher) together(ctx context.Context, reads []proposal) ([]event.CallResult, error) {
	sides := make([]*side, len(reads))
	var bodies []event.Body
	for i, p := range reads {
		p.aid = newAID()
		v, _, err := d.decide(ctx, p) // allowed already: nobody is asked
		if err != nil {
			return nil, err
		}
		sides[i] = &side{proposal: p, verdict: v}
		bodies = append(append(bodies, d.startedEvents(p)...), d.decidedEvent(p, v))
	}
	if err := d.owner.emit(bodies...); err != nil {
		return nil, err
	}
	d.step("decided")
	each(sides, len(sides), func(s *side) { s.token, s.err = d.witness(ctx, s.proposal, s.verdict) })
	for _, s := range sides {
		if s.err != nil {
			return nil, s.err
		}
	}
	d.step("intent")
	each(sides, maxReads, func(s *side) {
		if s.why = d.recheck(ctx, s.proposal, s.verdict); s.why == "" && ctx.Err() == nil {
			s.done, s.ran = d.run(ctx, s.proposal, s.token), true
		}
	})
	var out []event.CallResult
	for _, s := range sides {
		res, err := d.settleSide(ctx, s)
		if err != nil {
			return out, err
		}
		out = append(out, res)
	}
	return out, nil
}

// settleSide closes one of the reads. One whose world had changed goes down the
// road anew, by itself.
func (d *Dispatcher) settleSide(ctx context.Context, s *side) (event.CallResult, error) {
	switch {
	case s.ran:
		return d.conclude(ctx, s.proposal, s.verdict, s.token, s.done)
	case ctx.Err() != nil:
		return d.stoppedBefore(s.call, s.token)
	default:
		if err := d.writeOutcome(s.token, audit.Outcome{Status: audit.StatusBlocked, Reason: "changed: " + s.why}); err != nil {
			return event.CallResult{}, err
		}
		return d.Call(ctx, s.call)
	}
}

// each runs f for all sides, at most n at a time, and waits for the last.
func each(sides []*side, n int, f func(*side)) {
	var wait sync.WaitGroup
	room := make(chan struct{}, n)
	for _, s := range sides {
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			f(s)
		})
	}
	wait.Wait()
}
