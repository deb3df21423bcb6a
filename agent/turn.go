package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
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
	for t := range s.tasks {
		for more := true; more; {
			switch {
			case t.compact != nil:
				s.compactAlone(ctx, *t.compact)
			case t.undo != nil:
				s.undoAlone(ctx, *t.undo)
			case t.asking != nil, t.approve != "":
				s.serversAlone(ctx, t)
			default:
				s.turn(ctx, t.saying)
			}
			if err := s.owner.do(func(o *owned) { t, more = o.next(ctx.Err() != nil) }); err != nil {
				return
			}
		}
	}
}

// turn answers one message of the person.
func (s *Session) turn(ctx context.Context, message saying) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	number := 0
	err := s.owner.do(func(o *owned) {
		o.stoppedBy(cancel)
		number = o.state.Turn + 1
	})
	if err != nil {
		return
	}
	end, err := s.begun(ctx, number, message)
	if err == nil && ctx.Err() == nil { // whoever stops a turn does not wait for hooks
		_, _, err = s.disp.atTurn(ctx, hook.TurnEnd, hook.Message{Status: end.status})
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

// begun begins a turn, if the hooks let it, and does its steps.
func (s *Session) begun(ctx context.Context, number int, message saying) (turnEnd, error) {
	text, typed := message.text, ""
	if s.above == nil { // a goal is the words of a model: it names no commands and attaches no files
		text, typed = s.expand(text)
	}
	prompt, says, err := s.prompted(message.text)
	if err != nil {
		return turnEnd{"error", err.Error(), codeError}, nil
	}
	if prompt != nil {
		text, typed = says, ""
	}
	said, stop, err := s.disp.atTurn(ctx, hook.TurnStart, hook.Message{Turn: number, Prompt: text})
	if err != nil {
		return turnEnd{}, err
	}
	started := event.TurnStarted{Turn: number, Text: text, Images: message.images}
	for _, h := range said {
		started.Notes = append(started.Notes, event.Note{From: h.from, Text: h.text, Boundary: newBoundary()})
	}
	taint, err := s.disp.taintedBy(said)
	if err == nil {
		err = errors.Join(s.owner.emit(append(taint, started)...), s.owner.barrier())
	}
	switch {
	case err != nil:
		return turnEnd{}, err
	case stop != "":
		return turnEnd{"error", stop, codeError}, nil
	}
	if prompt != nil {
		res, err := s.callServer(ctx, *prompt)
		if err != nil || res.Status != "ok" && ctx.Err() == nil {
			return turnEnd{"error", "the prompt was not called: " + visible.Prose(res.Body), codeError}, err
		}
	}
	if err := s.mentions(ctx, typed); err != nil {
		return turnEnd{}, err
	}
	return s.steps(ctx)
}

// brokenEnd is the end of a turn in a session that cannot go on.
func brokenEnd(err error) turnEnd {
	if errors.Is(err, ErrNoEvidence) {
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
	if err := s.tellHead(); err != nil {
		return turnEnd{}, err
	}
	if m, err := s.mind(); err != nil || m.Provider == nil {
		return turnEnd{"error", "no model is configured: set a key such as OPENAI_API_KEY, start a local model, or play `tera-pilot demo`", codeModel}, err
	}
	g, invalid := &guard{}, 0
	for s.left = s.o.MaxSteps; s.left > 0; s.left-- {
		if _, err := s.foldIn(ctx, nil); err != nil {
			return turnEnd{}, err
		}
		reply, err := s.complete(ctx)
		if end, over := replyEnd(ctx, err); over {
			return end, s.owner.barrier()
		}
		if len(reply.Calls) == 0 {
			if more, err := s.unfinished(ctx, g, reply); more || err != nil {
				if err != nil {
					return turnEnd{}, err
				}
				continue
			}
			return answerEnd(reply), nil
		}
		usable, stop, err := s.calls(ctx, reply, g)
		switch {
		case err != nil:
			return turnEnd{}, err
		case ctx.Err() != nil:
			return turnEnd{"cancelled", "stopped", codeCancelled}, nil
		case stop != "":
			return turnEnd{"incomplete", stop, codeError}, nil
		}
		if invalid++; usable {
			invalid = 0
		}
		if invalid == maxInvalid {
			return turnEnd{"error", "the model's tool calls could not be used three times in a row: it may be too small for this work; try another model", codeModel}, nil
		}
	}
	return turnEnd{"incomplete", fmt.Sprintf("stopped at the limit of model calls, %d (agent_max_iterations, or --max-steps): say `go on` to continue", s.o.MaxSteps), codeBudget}, nil
}

// foldIn gives the turn what the person said meanwhile. The calls of left are
// those that did not begin yet: they are closed first, so that the model reads
// the person's words before it does more.
func (s *Session) foldIn(ctx context.Context, left []event.Call) (some bool, err error) {
	var texts []string
	turn := 0
	if err := s.owner.do(func(o *owned) { texts, turn = o.interjected, o.state.Turn }); err != nil || len(texts) == 0 {
		return false, err
	}
	for _, c := range left {
		if _, err := s.disp.unbegun(c, "not begun: the person said something meanwhile; read it, then propose the call again if it still fits"); err != nil {
			return true, err
		}
	}
	doErr := s.owner.do(func(o *owned) {
		texts = slices.Clone(o.interjected) // some may have been withdrawn, or added
		o.interjected = nil
		bodies := []event.Body{}
		for i := range texts {
			var t string
			t, texts[i] = s.expandIn(o, texts[i])
			bodies = append(bodies, event.Interjected{Turn: turn, Text: t})
		}
		err = o.emit(append(bodies, event.Queued{Texts: o.waiting()})...)
	})
	if err = errors.Join(doErr, err); err != nil {
		return true, err
	}
	for _, t := range texts {
		if err := s.mentions(ctx, t); err != nil {
			return true, err
		}
	}
	return true, nil
}

// unfinished says that a turn goes on though the model called for nothing: the
// person said more, the answer was empty, or changes were not tested. It is
// asked for each of the last two once a turn.
func (s *Session) unfinished(ctx context.Context, g *guard, r event.Reply) (bool, error) {
	if some, err := s.foldIn(ctx, nil); some || err != nil {
		return some, err
	}
	state, err := s.owner.state()
	if err != nil || r.Stop != model.StopEnd.String() {
		return false, err
	}
	nudge := event.Nudged{Turn: state.Turn}
	switch checks := s.o.Facts.Checks; {
	case r.Text == "" && !g.emptied:
		g.emptied, nudge.Kind, nudge.Text = true, "empty", emptyNudge
	case misformed(r) && !g.misformed:
		g.misformed, nudge.Kind, nudge.Text = true, "form", formNudge
	case r.Text != "" && !g.verified && len(state.Unchecked) > 0 && len(checks) > 0:
		g.verified, nudge.Kind, nudge.Text = true, "verify", verifyNudge(state.Unchecked, checks)
	default:
		return false, nil
	}
	return true, s.owner.emit(nudge)
}

// replyEnd says whether a failed request ends the turn, and how.
func replyEnd(ctx context.Context, err error) (turnEnd, bool) {
	switch {
	case err == nil:
		return turnEnd{}, false
	case ctx.Err() != nil:
		return turnEnd{"cancelled", "stopped", codeCancelled}, true
	case errors.Is(err, ErrNoEvidence):
		return turnEnd{"error", err.Error(), codeNoEvidence}, true
	case overBudget(err):
		return turnEnd{"incomplete", err.Error(), codeBudget}, true
	default:
		return turnEnd{"error", err.Error(), codeModel}, true
	}
}

// answerEnd is the end of a turn whose last reply calls for nothing.
func answerEnd(r event.Reply) turnEnd {
	switch r.Stop {
	case model.StopLength.String():
		return turnEnd{"incomplete", "the answer was cut at the model's output limit: say `go on`", codeError}
	case stopRepeated:
		return turnEnd{"error", "the model repeated itself without end, and was stopped: ask again in other words, or try another model", codeModel}
	case model.StopFilter.String():
		return turnEnd{"error", "the provider withheld the answer", codeModel}
	}
	if misformed(r) {
		return turnEnd{"error", "the model writes tool calls in a form that cannot be used, so nothing was done: it may be too small for this work; try another model", codeModel}
	}
	if r.Text == "" {
		return turnEnd{"error", "the model's answer was empty twice: ask in other words, or try another model", codeModel}
	}
	return turnEnd{status: "done"}
}

// calls does the calls of a reply in order, reads side by side. usable says
// that one of them was fit to be decided about; stop is why the turn ends. A
// cancelled turn closes those that are left, and so does a word of the person.
func (s *Session) calls(ctx context.Context, r event.Reply, g *guard) (usable bool, stop string, err error) {
	s.working("tool")
	var nudges []string
	for left := r.Calls; len(left) > 0; {
		if ctx.Err() != nil || stop != "" {
			if _, err := s.disp.cancelled(left[0]); err != nil {
				return usable, stop, err
			}
			left = left[1:]
			continue
		}
		usable = usable || left[0].Status == callOK
		results, err := s.disp.next(ctx, left)
		if err != nil {
			return usable, stop, err
		}
		if err := s.tellHead(); err != nil {
			return usable, stop, err
		}
		for i, res := range results {
			nudge, why := g.saw(left[i], res)
			if stop = cmp.Or(stop, why); nudge != "" {
				nudges = append(nudges, nudge)
			}
		}
		left = left[len(results):]
		if stop == "" && ctx.Err() == nil {
			if said, err := s.foldIn(ctx, left); said || err != nil {
				return usable, stop, errors.Join(err, s.nudge("loop", nudges))
			}
		}
	}
	return usable, stop, s.nudge("loop", nudges)
}

// nudge tells the model what the guard saw.
func (s *Session) nudge(kind string, texts []string) error {
	for _, t := range texts {
		if err := s.owner.do(func(o *owned) { o.tell(event.Nudged{Turn: o.state.Turn, Kind: kind, Text: t}) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) working(on string) {
	_ = s.owner.emit(event.Working{On: on, Since: s.o.Now()}) // transient
}

func (s *Session) tellHead() error { return s.owner.emit(headOf(s.audit)) }

// headOf is where the audit log stands.
func headOf(log evidence) event.AuditHead {
	h := log.Head()
	return event.AuditHead{Size: uint64(h.Size), Head: h.Hash}
}

// record states an event in the audit log, also in a turn that was stopped.
func (s *Session) record(e audit.Event) error {
	return s.Note(s.lasting, e)
}
