package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
)

// byHand is the road of what the person typed: only the floor is asked. It is
// taken before the hooks are pinned, so it calls none: they watch the model.
func (s *Session) byHand() *Dispatcher {
	d := *s.disp
	d.judge = func() (gate.Input, int, error) {
		in, epoch, err := s.judge()
		in.Typed = true
		return in, epoch, err
	}
	return &d
}

// openUndo settles what a dead process left in the undo store.
func (s *Session) openUndo(ctx context.Context) error {
	if s.above != nil {
		return nil // its parent has done it
	}
	problem := s.o.UndoProblem
	if s.o.Undo != nil {
		at := place{s.o.World}
		if err := s.o.Undo.Recover(at, at.survey(ctx)); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
		if err := s.o.Undo.Tidy(); err != nil {
			problem = err.Error()
		}
	}
	if problem == "" {
		return nil
	}
	return s.owner.emit(event.Notice{Severity: "warn", Key: "undo", Text: "undo: " + problem})
}

// takeBack carries out an Undo of the person, or plans it, in a goroutine of
// its own: it looks at the workspace and at the disk.
func (s *Session) takeBack(o *owned, c event.Undo) {
	switch {
	case o.closing:
		return
	case s.o.Undo == nil:
		o.tell(event.Notice{Severity: "warn", Key: "undo", Text: "nothing is kept for undo in this session"})
		return
	case c.Dry:
		s.aside(func(context.Context) { _ = s.owner.emit(UndoPlan(s.o.Undo, s.o.World, c)) }) // transient
		return
	case o.busy && !o.state.TurnOpen: // between two turns: it will soon be known which
		s.aside(func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
				_ = s.owner.do(func(o *owned) { s.takeBack(o, c) }) // an ended session undoes nothing
			}
		})
		return
	case o.busy:
		o.tell(event.Notice{Severity: "warn", Key: "undo", Text: "the agent is at work: stop it first, then undo"})
		return
	}
	s.start(o, task{undo: &c})
}

// undoAlone is an undo between two turns.
func (s *Session) undoAlone(ctx context.Context, c event.Undo) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.owner.do(func(o *owned) { o.cancel = cancel })
	if err == nil {
		err = s.undoByHand(ctx, c)
	}
	if err != nil {
		_ = s.owner.emit(event.Notice{Severity: "error", Key: "undo", Text: "undo: " + err.Error()}) // an ended session has nobody to tell
	}
}

// undoByHand sends the person's undo down the road.
func (s *Session) undoByHand(ctx context.Context, c event.Undo) error {
	args, err := json.Marshal(undoArgs{Path: c.Path, Call: c.Call, Turn: c.Turn, All: c.All, Down: c.Down})
	if err != nil {
		return err
	}
	res, err := s.hand.Call(ctx, event.Call{ID: "undo-" + randomHex(6), Tool: undoName, Args: args, Origin: "native", Status: callOK})
	if err != nil {
		return err
	}
	text, severity := res.Body, "info"
	if res.Status != "ok" {
		severity = "warn"
	}
	return errors.Join(s.owner.emit(event.Notice{Severity: severity, Key: "undo", Text: text}), s.owner.barrier(), s.tellHead())
}

// listUndo answers ListUndo.
func (s *Session) listUndo(o *owned) {
	if s.o.Undo == nil || o.closing {
		o.tell(event.UndoPoints{})
		return
	}
	s.aside(func(context.Context) { _ = s.owner.emit(event.UndoPoints{Points: UndoPoints(s.o.Undo, s.o.World)}) }) // transient
}

// aside runs f beside the turns. Close waits for it.
func (s *Session) aside(f func(context.Context)) {
	s.besides.Add(1)
	go func() {
		defer s.besides.Done()
		f(s.life)
	}()
}
