package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
)

// maxInvalid is how many replies with nothing but unusable calls end a turn.
const maxInvalid = 3

// A turnEnd is how a turn ended, with the exit code that a headless run maps
// it to (docs/exit-codes.md).
type turnEnd struct {
	status  string // done, incomplete, error, cancelled
	message string
	code    int
}

// Codes of a turn's end.
const (
	codeError      = 1
	codeBudget     = 5
	codeNoEvidence = 7
	codeCancelled  = 8
	codeModel      = 9
)

// work runs one turn after the other until the session closes.
func (s *Session) work(ctx context.Context) {
	defer close(s.worked)
	for text := range s.turns {
		for more := true; more; {
			s.turn(ctx, text)
			if err := s.owner.do(func(o *owned) { text, more = o.next() }); err != nil {
				return
			}
		}
	}
}

// turn answers one message of the person.
func (s *Session) turn(ctx context.Context, text string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	number := 0
	err := s.owner.do(func(o *owned) {
		if o.cancel = cancel; o.stopped {
			cancel()
		}
		o.stopped = false
		number = o.state.Turn + 1
	})
	if err != nil {
		return
	}
	err = errors.Join(s.owner.emit(event.TurnStarted{Turn: number, Text: text}), s.owner.barrier())
	end := turnEnd{status: "error", code: codeError}
	if err == nil {
		end, err = s.steps(ctx)
	}
	if err != nil {
		end = brokenEnd(err)
	}
	state, stateErr := s.owner.state()
	if stateErr != nil {
		return
	}
	ended := event.TurnEnded{Turn: number, Status: end.status, Message: end.message, Code: end.code, Verification: state.Verification()}
	_ = s.owner.do(func(o *owned) { o.endTurn(ended) }) // an ended session has nobody to tell
}

// brokenEnd is the end of a turn in a session that cannot go on.
func brokenEnd(err error) turnEnd {
	if errors.Is(err, errNoEvidence) {
		return turnEnd{"error", err.Error(), codeNoEvidence}
	}
	return turnEnd{"error", err.Error(), codeError}
}

// steps asks the model and does what it calls for, until it has nothing more
// to do. The error means that the session cannot go on.
func (s *Session) steps(ctx context.Context) (turnEnd, error) {
	if ctx.Err() != nil {
		return turnEnd{"cancelled", "stopped", codeCancelled}, nil
	}
	if err := s.record(audit.Event{Kind: audit.KindPrompt, Title: "a message of the person"}); err != nil {
		return turnEnd{}, err
	}
	if s.o.Provider == nil {
		return turnEnd{"error", "no model is configured: set a key such as OPENAI_API_KEY, start a local model, or play `tera-pilot demo`", codeModel}, nil
	}
	invalid := 0
	for range s.o.MaxSteps {
		reply, err := s.ask(ctx)
		if end, over := replyEnd(ctx, err); over {
			return end, s.owner.barrier()
		}
		if len(reply.Calls) == 0 {
			return answerEnd(reply), nil
		}
		usable, err := s.calls(ctx, reply)
		if err != nil {
			return turnEnd{}, err
		}
		if ctx.Err() != nil {
			return turnEnd{"cancelled", "stopped", codeCancelled}, nil
		}
		if invalid++; usable {
			invalid = 0
		}
		if invalid == maxInvalid {
			return turnEnd{"error", "the model's tool calls could not be used three times in a row: it may be too small for this work; try another model", codeModel}, nil
		}
	}
	return turnEnd{"incomplete", fmt.Sprintf("stopped after %d steps: say `go on` to continue, or raise agent_max_iterations", s.o.MaxSteps), codeBudget}, nil
}

// replyEnd says whether a failed request ends the turn, and how.
func replyEnd(ctx context.Context, err error) (turnEnd, bool) {
	switch {
	case err == nil:
		return turnEnd{}, false
	case ctx.Err() != nil:
		return turnEnd{"cancelled", "stopped", codeCancelled}, true
	case errors.Is(err, errNoEvidence):
		return turnEnd{"error", err.Error(), codeNoEvidence}, true
	default:
		return turnEnd{"error", err.Error(), codeModel}, true
	}
}

// answerEnd is the end of a turn whose last reply calls for nothing.
func answerEnd(r event.Reply) turnEnd {
	switch r.Stop {
	case model.StopLength.String():
		return turnEnd{"incomplete", "the answer was cut at the model's output limit: say `go on`", codeError}
	case model.StopFilter.String():
		return turnEnd{"error", "the provider withheld the answer", codeModel}
	}
	if r.Text == "" {
		return turnEnd{"error", "the model's answer was empty: ask again, or try another model", codeModel}
	}
	return turnEnd{status: "done"}
}

// ask sends the conversation to the model and stores its reply.
func (s *Session) ask(ctx context.Context) (event.Reply, error) {
	state, err := s.owner.state()
	if err != nil {
		return event.Reply{}, err
	}
	req, err := request(state, s.o.Tools, s.o.Small)
	if err != nil {
		return event.Reply{}, err
	}
	s.working("model")
	deltas := newDeltas(s)
	reply, askErr := s.o.Provider.Complete(ctx, req, deltas.take)
	deltas.flush()
	stored, err := s.reply(state.Model, reply)
	if err != nil {
		return event.Reply{}, errors.Join(err, askErr)
	}
	if askErr != nil && len(reply.Parts) == 0 {
		return event.Reply{}, errors.Join(askErr, s.recordFailed(ctx, state.Model, askErr))
	}
	err = errors.Join(s.owner.emit(stored), s.owner.barrier(), s.recordModel(stored), s.closeUnusable(stored, askErr))
	return stored, errors.Join(askErr, err)
}

// reply is the model's answer as the session's log keeps it.
func (s *Session) reply(name string, r model.Reply) (event.Reply, error) {
	parts, err := json.Marshal(r.Parts)
	if err != nil {
		return event.Reply{}, fmt.Errorf("reply of the model: %w", err)
	}
	out := event.Reply{Text: r.Text, Reasoning: r.Reasoning, Parts: parts, Stop: r.Stop.String(), Provider: s.o.Provider.ID(), Model: name}
	if r.Usage != nil {
		out.Usage = event.Usage{Input: r.Usage.Input, Output: r.Usage.Output, CacheRead: r.Usage.CacheRead, CacheWrite: r.Usage.CacheWrite}
		if s.o.Price != nil && name == s.o.Model { // what another one costs is not known here
			out.Usage.Cost = s.o.Price(*r.Usage)
		}
	}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, event.Call{ID: c.ID, Tool: c.Name, Args: c.Args, Origin: string(c.Origin), Status: c.Status.String(), Problem: c.Problem})
	}
	return out, nil
}

// closeUnusable gives the calls of a reply that failed on its way a result
// each, since the next request would be invalid without.
func (s *Session) closeUnusable(r event.Reply, failed error) error {
	if failed == nil {
		return nil
	}
	for _, c := range r.Calls {
		if _, err := s.disp.cancelled(c); err != nil {
			return err
		}
	}
	return nil
}

// calls does the calls of a reply in order. usable says that one of them was
// fit to be decided about. A cancelled turn closes those that are left.
func (s *Session) calls(ctx context.Context, r event.Reply) (usable bool, err error) {
	s.working("tool")
	for _, c := range r.Calls {
		if ctx.Err() != nil {
			if _, err := s.disp.cancelled(c); err != nil {
				return usable, err
			}
			continue
		}
		usable = usable || c.Status == callOK
		if _, err := s.disp.Call(ctx, c); err != nil {
			return usable, err
		}
		if err := s.tellHead(); err != nil {
			return usable, err
		}
	}
	return usable, nil
}

func (s *Session) working(on string) {
	_ = s.owner.emit(event.Working{On: on, Since: s.o.Now()}) // transient
}

func (s *Session) tellHead() error {
	h := s.audit.Head()
	return s.owner.emit(event.AuditHead{Size: uint64(h.Size), Head: h.Hash})
}

// record states an event in the audit log, also in a turn that was stopped.
func (s *Session) record(e audit.Event) error {
	return s.Note(s.lasting, e)
}

// recordFailed states a request to the model that brought no answer: what kind
// of failure it was, and no text of the server's.
func (s *Session) recordFailed(ctx context.Context, name string, failed error) error {
	why := "error"
	if ctx.Err() != nil {
		why = "cancelled"
	}
	if e, ok := errors.AsType[*model.Error](failed); ok {
		why = string(e.Class)
	}
	return s.record(audit.Event{Kind: audit.KindModel, Category: audit.CategoryThought, Title: "a request to the model failed", Data: map[string]any{
		"provider": s.o.Provider.ID(), "model": name, "failed": why,
	}})
}

// recordModel states a request to the model: who, how much, no text.
func (s *Session) recordModel(r event.Reply) error {
	data := map[string]any{
		"provider": r.Provider, "model": r.Model, "input": r.Usage.Input, "output": r.Usage.Output,
		"cache_read": r.Usage.CacheRead, "cache_write": r.Usage.CacheWrite, "calls": int64(len(r.Calls)), "stop": r.Stop,
	}
	if r.Usage.Cost != nil {
		data["cost_micro_usd"] = *r.Usage.Cost
	}
	return s.record(audit.Event{Kind: audit.KindModel, Category: audit.CategoryThought, Title: "an answer of the model", Data: data})
}

// deltas hands the pieces of a reply on, thirty times a second at most. A
// secret is masked also where it is split between two pieces, so what could be
// the beginning of one is held back.
type deltas struct {
	s               *Session
	text, reasoning maskedText
	last            time.Time
}

// frameTime is the least time between two pieces on a front end.
const frameTime = time.Second / 30

func newDeltas(s *Session) *deltas {
	d := &deltas{s: s}
	d.restart()
	return d
}

func (d *deltas) restart() {
	d.text, d.reasoning = newMaskedText(d.s.o.Redactor), newMaskedText(d.s.o.Redactor)
}

func (d *deltas) take(m model.Delta) {
	switch m.Kind {
	case model.DeltaText:
		d.text.add(m.Text)
	case model.DeltaReasoning:
		d.reasoning.add(m.Text)
	case model.DeltaRetry:
		d.restart()
		_ = d.s.owner.emit(event.Notice{Severity: "warn", Key: "retry", Text: fmt.Sprintf("the model's server failed (%s): trying again, attempt %d", m.Retry.Cause, m.Retry.Attempt)}) // the turn's end says more
	}
	if now := d.s.o.Now(); now.Sub(d.last) >= frameTime {
		d.flush()
		d.last = now
	}
}

// flush hands on what is ready. The deltas are transient: the whole reply
// follows them.
func (d *deltas) flush() {
	if text := d.reasoning.ready(); text != "" {
		_ = d.s.owner.emit(event.ReasoningDelta{Text: text})
	}
	if text := d.text.ready(); text != "" {
		_ = d.s.owner.emit(event.TextDelta{Text: text})
	}
}
