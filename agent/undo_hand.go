package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// byHand is the road of what the person typed: only the floor is asked. It is
// taken before the hooks are pinned, so it calls none: they watch the model.
func (s *Session) byHand() (*Dispatcher, error) {
	d := *s.disp
	d.no = &rejections{} // what the person types is no repetition of the model's
	var err error
	own := tool.AskMCP()
	if s.o.Undo != nil {
		own = append(own, undoTool{s.o.Undo, s.o.World, true})
	}
	others := slices.DeleteFunc(d.tools.All(), func(t tool.Tool) bool { return t.Spec().Name == undoName })
	if d.tools, err = tool.NewRegistry(append(others, own...)...); err != nil {
		return nil, err
	}
	d.judge = func() (gate.Input, int, error) {
		in, epoch, err := s.judge()
		in.Typed = true
		return in, epoch, err
	}
	return &d, nil
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
	case len(c.Resolve) > 0 && !s.resolves():
		o.tell(event.Notice{Severity: "warn", Key: "undo", Text: "a conflict is resolved in the terminal, or with `tera-pilot undo`: nothing was done"})
		return
	case c.Dry:
		s.aside(func(context.Context) { _ = s.owner.emit(UndoPlan(s.o.Undo, s.o.World, c)) }) // transient
		return
	case o.busy && !o.state.TurnOpen: // between two turns: it will soon be known which
		o.later(func(o *owned) { s.takeBack(o, c) })
		return
	case o.busy:
		o.tell(event.Notice{Severity: "warn", Key: "undo", Text: "the agent is at work: stop it first, then undo"})
		return
	}
	s.start(o, task{undo: &c})
}

// resolves says that a person who can see the three sides of a conflict sits at
// this front end: the terminal, and whoever typed `tera-pilot undo`.
func (s *Session) resolves() bool {
	switch s.o.Front {
	case audit.FrontTUI, audit.FrontDemo, audit.FrontCLI:
		return true
	default:
		return false
	}
}

// undoAlone is an undo between two turns.
func (s *Session) undoAlone(ctx context.Context, c event.Undo) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.owner.do(func(o *owned) { o.stoppedBy(cancel) })
	if err == nil {
		err = s.undoByHand(ctx, c)
	}
	if err != nil {
		_ = s.owner.emit(event.Notice{Severity: "error", Key: "undo", Text: "undo: " + err.Error()}) // an ended session has nobody to tell
	}
}

// undoByHand sends the person's undo down the road.
func (s *Session) undoByHand(ctx context.Context, c event.Undo) error {
	args, err := json.Marshal(undoArgsOf(c))
	if err != nil {
		return err
	}
	res, err := s.hand.Call(ctx, event.Call{ID: "undo-" + randomHex(6), Tool: undoName, Args: args, Origin: "native", Status: callOK})
	if err != nil {
		return err
	}
	n := event.Notice{Severity: "warn", Key: "undo", Text: strings.TrimSpace(res.Body)}
	if res.Status == "ok" {
		state, err := s.owner.state()
		if err != nil {
			return err
		}
		n = undone(res, commitsSince(state, res.Undone))
	}
	return errors.Join(s.owner.emit(n), s.owner.barrier(), s.tellHead())
}

// undone says in one line what an undo did and what it left.
func undone(res event.CallResult, commits int) event.Notice {
	const most = 3
	lines := strings.Split(strings.TrimSpace(res.Body), "\n")
	if n := len(lines); n > most && len(res.Conflicts) == 0 {
		lines = append(lines[:most:most], fmt.Sprintf("%d more", n-most))
	}
	n := event.Notice{Severity: "info", Key: "undo", Text: strings.Join(lines, "; ")}
	if commits > 0 {
		n.Text += fmt.Sprintf("; %d %s of the agent %s in git", commits, plural(commits, "commit", "commits"), plural(commits, "stays", "stay"))
		n.Hint = fmt.Sprintf("git reset HEAD~%d takes %s off the branch, as long as nothing was committed since", commits, plural(commits, "it", "them"))
	}
	return n
}

// commitsSince counts what the agent committed from the first of some calls on.
// Commits are git's records: no undo takes them back.
func commitsSince(state session.State, calls []string) int {
	seen, n := false, 0
	for _, m := range state.Messages {
		if m.Call == nil {
			continue
		}
		seen = seen || slices.Contains(calls, m.Call.Call)
		if seen && m.Call.Status == "ok" && (m.Call.Tool == "git_commit" || m.Call.Tool == "execute_command" && strings.HasPrefix(m.Call.Title, "run git commit")) {
			n++
		}
	}
	return n
}

// listUndo answers ListUndo, when an undo that is under way is done.
func (s *Session) listUndo(o *owned) {
	if s.o.Undo == nil || o.closing {
		o.tell(event.UndoPoints{})
		return
	}
	if o.busy && !o.state.TurnOpen {
		o.later(s.listUndo)
		return
	}
	s.aside(func(context.Context) { _ = s.owner.emit(event.UndoPoints{Points: UndoPoints(s.o.Undo, s.o.World)}) }) // transient
}

// aside runs f beside the turns. Close waits for it.
func (s *Session) aside(f func(context.Context)) {
	s.besides.Go(func() { f(s.life) })
}
