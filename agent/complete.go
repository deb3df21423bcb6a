package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
)

// stopRepeated is the stop of a reply that was cut since it repeated itself.
const stopRepeated = "repetition"

// complete sends the conversation to the model and stores its reply. A conversation
// that the server finds too long is made shorter, once.
func (s *Session) complete(ctx context.Context) (event.Reply, error) {
	for again := true; ; again = false {
		if err := s.compactIfAsked(ctx); err != nil {
			return event.Reply{}, err
		}
		m, err := s.mind()
		if err != nil {
			return event.Reply{}, err
		}
		req, err := s.fitted(ctx, m)
		if err != nil {
			return event.Reply{}, err
		}
		s.working("model")
		deltas := newDeltas(s, m.Model)
		reply, stored, askErr := s.send(ctx, m, req, deltas.take)
		deltas.flush()
		e, failed := errors.AsType[*model.Error](askErr)
		if failed && e.Class == model.ClassContextOverflow && len(reply.Parts) == 0 && again && ctx.Err() == nil {
			if err := s.overflowed(ctx, m, req, e); err != nil {
				return event.Reply{}, err
			}
			continue
		}
		if askErr != nil && len(reply.Parts) == 0 {
			return event.Reply{}, askErr
		}
		err = errors.Join(s.owner.emit(stored), s.owner.barrier(), s.closeUnusable(stored, askErr))
		return stored, errors.Join(askErr, err)
	}
}

// send is one request to the model: within the budget, on record, and a lesson
// about the model's tokens. Nothing of it is in the session's log yet.
func (s *Session) send(ctx context.Context, m mind, req model.Request, onDelta func(model.Delta)) (model.Reply, event.Reply, error) {
	if err := Outgoing(s.o.Redactor, s.o.Overlay, req); err != nil {
		return model.Reply{}, event.Reply{}, err
	}
	hold, err := s.reserve(m, &req)
	if err != nil {
		return model.Reply{}, event.Reply{}, err
	}
	reply, askErr := m.Provider.Complete(ctx, req, onDelta)
	spent := took(m, req, reply, askErr)
	settled := s.settleSpent(hold, spent)
	cut := slices.Contains(reply.Warnings, model.WarnPromptTruncated)
	if cut {
		s.compactSoon()
	}
	if u := reply.Usage; u != nil && askErr == nil && !cut {
		if next := m.known.Saw(m.untaught(req), u.Input+u.CacheRead+u.CacheWrite); next != m.known {
			s.learn(m, next)
		}
	}
	stored, err := s.reply(m, reply, spent)
	if err = errors.Join(settled, err); err != nil {
		return reply, stored, errors.Join(err, askErr)
	}
	if askErr != nil && len(reply.Parts) == 0 {
		return reply, stored, errors.Join(askErr, s.recordFailed(ctx, m, askErr))
	}
	return reply, stored, errors.Join(askErr, s.recordModel(stored))
}

// reply is the model's answer as the session's log keeps it.
func (s *Session) reply(m mind, r model.Reply, spent event.Usage) (event.Reply, error) {
	parts, err := json.Marshal(r.Parts)
	if err != nil {
		return event.Reply{}, fmt.Errorf("reply of the model: %w", err)
	}
	out := event.Reply{Text: r.Text, Reasoning: r.Reasoning, Parts: parts, Stop: r.Stop.String(), Provider: m.id(), Model: m.Model, Warnings: r.Warnings, Usage: spent}
	if slices.Contains(r.Warnings, model.WarnRepetition) {
		out.Stop = stopRepeated
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

// recordFailed states a request to the model that brought no answer: what kind
// of failure it was, and no text of the server's.
func (s *Session) recordFailed(ctx context.Context, m mind, failed error) error {
	why := "error"
	if ctx.Err() != nil {
		why = "cancelled"
	}
	if e, ok := errors.AsType[*model.Error](failed); ok {
		why = string(e.Class)
	}
	return s.record(audit.Event{Kind: audit.KindModel, Category: audit.CategoryThought, Title: "a request to the model failed", Data: map[string]any{
		"provider": m.id(), "model": m.Model, "failed": why,
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
	if r.Usage.Estimated {
		data["estimated"] = true
	}
	return s.record(audit.Event{Kind: audit.KindModel, Category: audit.CategoryThought, Title: "an answer of the model", Data: data})
}
