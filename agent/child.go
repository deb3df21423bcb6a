package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// A lineage is what ties a sub-agent to the one that started it.
type lineage struct {
	parent *Session
	call   string // of the parent, that started it
	goal   string
	plan   bool // it only reads
	record string
}

// A spawner gives a call the means to start a sub-agent.
type spawner func(context.Context, proposal, audit.Token, func(string, []byte)) func(context.Context, *effect.Child) (tool.ChildReport, error)

// spawn runs a sub-agent to its end: a session of its own, with its own log,
// that can do no more than its parent. It acts within the parent's limits as
// they are at each moment, asks through the parent's front end, spends from
// the parent's budget, and starts no sub-agent itself.
func (s *Session) spawn(ctx context.Context, p proposal, token audit.Token, tell func(stream string, b []byte)) func(context.Context, *effect.Child) (tool.ChildReport, error) {
	return func(_ context.Context, want *effect.Child) (tool.ChildReport, error) {
		if s.above != nil {
			return tool.ChildReport{}, errors.New("a sub-agent starts no other one: do the steps one after the other")
		}
		steps := min(want.Steps, s.left-1)
		if steps < 1 {
			return tool.ChildReport{}, errors.New("no step is left in this turn for a sub-agent: end the turn, or do it yourself")
		}
		above := &lineage{parent: s, call: p.call.ID, goal: want.Goal, plan: !want.Writes, record: token.Hash()}
		child, err := s.openChild(ctx, above, want.Tools, steps)
		if err != nil {
			return tool.ChildReport{}, err
		}
		rep, err := child.errand(ctx, want, tell)
		s.left -= rep.Steps
		if closeErr := child.Close(audit.CloseOK); closeErr != nil {
			return rep, noEvidence(errors.Join(err, closeErr))
		}
		if err != nil {
			return rep, err
		}
		return rep, s.inherit(rep.Taint, p.set.Title)
	}
}

// openChild opens the session of a sub-agent.
func (s *Session) openChild(ctx context.Context, above *lineage, tools []string, steps int) (*Session, error) {
	registry, err := s.o.Tools.Only(tools...)
	if err != nil {
		return nil, err
	}
	m, err := s.mind()
	if err != nil {
		return nil, err
	}
	log, err := s.o.Store.Create(s.o.Now())
	if err != nil {
		return nil, err
	}
	o := s.o
	o.Log, o.Past, o.Mind, o.Tools, o.MaxSteps, o.above = log, nil, m.Mind, registry, steps, above
	o.World = s.o.World.WithOutputs(log.OutDir(), log.OpenOutput)
	o.Budget, o.Problems = s.o.Budget.Child(budget.Limits{}), nil
	o.Commands, o.Witness, o.Switch, o.Preview, o.Book = nil, nil, nil, false, nil
	o.Info.Parent = &audit.Parent{Sid: s.audit.ID(), Record: above.record}
	child, err := Open(ctx, o)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	state, err := s.owner.state()
	if err == nil {
		err = child.inherit(state.Taint, "the parent's context")
	}
	if err != nil {
		return nil, errors.Join(err, child.Close(audit.CloseError))
	}
	return child, nil
}

// inherit takes over the taint of a parent or a child.
func (s *Session) inherit(taint []string, what string) error {
	state, err := s.owner.state()
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, t := range state.Taint {
		have[t] = true
	}
	for _, t := range taint {
		if !have[t] {
			have[t] = true
			if err := s.owner.emit(event.Tainted{Source: t, What: what}); err != nil {
				return err
			}
		}
	}
	return nil
}

// errandText is a sub-agent's only message.
func errandText(want *effect.Child) string {
	may := "You only read: nothing that you call changes anything."
	if want.Writes {
		may = "You may change files, as far as that is needed for the goal."
	}
	return fmt.Sprintf("You are a sub-agent, role %s. %s Nobody answers questions. End with a report of at most 2,000 characters: what you found or did, with file names and line numbers, and what is left open.\n\nThe goal, as another agent wrote it:\n%s", want.Role, may, want.Goal)
}

// errand gives a sub-agent its goal and waits for the report. A stop of the
// parent's turn stops it.
func (s *Session) errand(ctx context.Context, want *effect.Child, tell func(string, []byte)) (tool.ChildReport, error) {
	l := &listener{above: s.above, tell: tell, started: map[string]event.CallStarted{}, rep: tool.ChildReport{Session: s.ID(), Status: "error"}}
	_, live, end, err := s.Subscribe(0)
	if err != nil {
		return l.rep, err
	}
	defer func() { end() }()
	if err := s.Send(event.Submit{Text: errandText(want)}); err != nil {
		return l.rep, err
	}
	stopped := ctx.Done()
	for !l.over {
		var missed []event.Event
		select {
		case <-stopped:
			stopped = nil
			err = s.Send(event.Cancel{})
		case e, ok := <-live:
			if ok {
				missed = []event.Event{e}
				break
			}
			// Cut off: the parent's log is slower than the sub-agent, or its session is over.
			again, next, stop, gone := s.Subscribe(l.seq)
			if gone != nil {
				return l.rep, fmt.Errorf("the sub-agent's session ended in the middle of its turn: %w", gone)
			}
			missed, live, end = again, next, stop
		}
		for _, e := range missed {
			err = errors.Join(err, l.hear(e))
		}
		if err != nil {
			return l.rep, err
		}
	}
	state, err := s.State()
	if err != nil {
		return l.rep, err
	}
	l.rep.Text, l.rep.Taint = state.Last, state.Taint
	for _, c := range state.Changed {
		l.rep.Changes = append(l.rep.Changes, tool.Change{Path: c.Path, To: c.To, Change: c.Change})
	}
	return l.rep, nil
}

// A listener hears a sub-agent's events. What it spends, what leaves the
// machine and what it is refused stands in its parent's log too: there the
// front ends look, and there it counts when the session goes on.
type listener struct {
	above   *lineage
	tell    func(string, []byte)
	rep     tool.ChildReport
	started map[string]event.CallStarted
	seq     uint64 // of the last stored event
	over    bool
}

func (l *listener) hear(e event.Event) error {
	l.seq = max(l.seq, e.Seq)
	switch b := e.Body.(type) {
	case event.Reply:
		l.rep.Steps++
		return l.pass(event.Spent{For: "sub-agent", Usage: b.Usage})
	case event.Compacted:
		return l.pass(event.Spent{For: "sub-agent", Usage: b.Usage})
	case event.Spent:
		return l.pass(b)
	case event.Egress:
		return l.pass(b)
	case event.Notice:
		if strings.HasPrefix(b.Key, event.FoundKey) {
			return l.pass(b)
		}
	case event.CallStarted:
		l.started[b.Call] = b
	case event.CallDecided:
		if isNo(b.Decision) {
			c := l.started[b.Call]
			return l.pass(event.Refused{Tool: c.Tool, Title: c.Title, Effects: c.Effects, Decision: b.Decision, By: b.By, Rule: b.Rule, Reason: b.Reason, Allow: b.Allow})
		}
	case event.CallResult:
		l.tell("stdout", []byte(strings.TrimSpace(b.Status+"  "+b.Tool+"  "+b.Title)+"\n"))
		if _, planned := l.started[b.Call]; b.Status == string(audit.StatusBlocked) && !planned {
			return l.pass(event.Refused{Tool: b.Tool, Title: b.Title, Decision: b.Decision, Reason: b.Body})
		}
	case event.TurnEnded:
		l.rep.Status, l.rep.Message, l.over = b.Status, b.Message, true
	}
	return nil
}

// pass tells the parent's log, under the call that started the sub-agent.
func (l *listener) pass(body event.Body) error {
	switch b := body.(type) {
	case event.Spent:
		b.Call = l.above.call
		body = b
	case event.Egress:
		b.Call = l.above.call
		body = b
	case event.Refused:
		b.Call, b.Session = l.above.call, l.rep.Session
		body = b
	}
	return l.above.parent.owner.emit(body)
}

// isNo says that a decision is one that refuses.
func isNo(decision string) bool {
	return decision == string(audit.Denied) || decision == string(audit.Blocked)
}

// childInput is what the gate is given for a sub-agent: the parent's limits as
// they are now, twice, once narrowed to what the sub-agent may, and its taint.
func (s *Session) childInput() (gate.Input, int, error) {
	in, epoch, err := s.above.parent.judge()
	if err != nil {
		return in, epoch, err
	}
	state, err := s.owner.state()
	in.Limits.Level = s.above.parent.effective(in.Limits.Level, in.OptOut) // it has no stricter one of its own
	parent := in.Limits
	in.Limits.Parent = &parent
	in.Limits.Plan = in.Limits.Plan || s.above.plan
	in.Limits.Taint = state.Taint
	return in, epoch, err
}
