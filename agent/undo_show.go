package agent

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// UndoPoints lists what calls changed, the newest first, with what stands in
// the way of taking it back now.
func UndoPoints(store *undo.Store, w *world.World) []event.UndoPoint {
	records := store.Records()
	out := make([]event.UndoPoint, 0, len(records))
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		p := event.UndoPoint{Call: r.ID, Turn: r.Turn, Tool: r.Tool, Title: r.Title, Time: r.Time, Uncovered: r.Left, Of: r.Of, Undone: true}
		conflicts := map[string]string{}
		plan, err := store.Plan(undo.Selection{Call: r.ID}, place{w})
		for _, c := range plan.Conflicts {
			conflicts[c.Path] = c.Why
		}
		for _, c := range r.Changes {
			f := event.UndoFile{Path: string(c.Path), Change: c.Word(), Undone: store.Undone(r.ID, string(c.Path)), Conflict: conflicts[string(c.Path)]}
			if err != nil && !errors.Is(err, undo.ErrNothing) {
				f.Conflict = err.Error()
			}
			p.Undone = p.Undone && f.Undone
			p.Files = append(p.Files, f)
		}
		out = append(out, p)
	}
	return out
}

// UndoPlan is what an undo would do now.
func UndoPlan(store *undo.Store, w *world.World, c event.Undo) event.UndoPlan {
	sel, err := selection(w, undoArgsOf(c))
	if err != nil {
		return event.UndoPlan{Problem: err.Error()}
	}
	plan, err := store.Plan(sel, place{w})
	if err != nil {
		return event.UndoPlan{Problem: err.Error()}
	}
	out := event.UndoPlan{Of: plan.Calls, Uncovered: append(plan.Left, plan.Kept...)}
	var l lines
	for _, s := range plan.Steps {
		change := undo.NewChange(s.Path, s.From, s.To)
		out.Files = append(out.Files, event.UndoFile{Path: s.Path, Change: change.Word(), Merged: s.Merged})
		l.step(change.Word(), s)
	}
	for _, c := range plan.Conflicts {
		out.Files = append(out.Files, event.UndoFile{Path: c.Path, Conflict: c.Why})
		if len(out.Conflicts) < event.MaxConflicts {
			out.Conflicts = append(out.Conflicts, undoConflict(store, w, sel, c))
		}
	}
	out.Lines = l.out
	return out
}

// undoConflict lays a conflict out. One that cannot be looked at can only be
// kept.
func undoConflict(store *undo.Store, w *world.World, sel undo.Selection, c undo.Conflict) event.UndoConflict {
	out := event.UndoConflict{Path: c.Path, Why: c.Why}
	x, err := store.Sides(sel, place{w}, c.Path)
	if err != nil {
		out.Lines = []event.Line{{Kind: event.LineWarn, Text: visible.Strict(err.Error())}}
		return out
	}
	out.Now, out.Merged = x.Mark, x.Merged
	for _, how := range x.Can {
		out.Can = append(out.Can, string(how))
	}
	var l lines
	l.side("before", x.Old)
	l.side("agent", x.Agent)
	l.side("now", x.Now)
	l.between("what the agent did: from before to agent", x.Old, x.Agent)
	l.between("what somebody else did since: from agent to now", x.Agent, x.Now)
	l.between("what taking the old one would do: from now to before", x.Now, x.Old)
	out.Lines = l.out
	return out
}

// side says what a side of a conflict is.
func (w *lines) side(name string, x undo.Side) {
	switch {
	case x.Type == undo.None:
		w.fact(name, "nothing there")
	case x.Type == undo.Link:
		w.fact(name, "a link to "+string(x.Text))
	case x.Type == undo.Folder:
		w.fact(name, fmt.Sprintf("a folder, mode %04o", x.Mode))
	case x.Type == undo.Special:
		w.fact(name, "neither a file nor a folder")
	case x.Left != "":
		w.warn(name, fmt.Sprintf("a file, mode %04o, %s; its content is not kept: %s", x.Mode, size(x.Size), x.Left))
	case x.Data == nil && x.Size > 0:
		w.warn(name, fmt.Sprintf("a file, mode %04o, %s; its content was not kept", x.Mode, size(x.Size)))
	case !isText(x.Data):
		w.fact(name, fmt.Sprintf("a file, mode %04o, %s, no text, sha256 %.12s", x.Mode, size(x.Size), x.SHA256))
	default:
		w.fact(name, fmt.Sprintf("a file, mode %04o, %s, sha256 %.12s", x.Mode, size(x.Size), x.SHA256))
	}
}

// between shows the step from one side to another, where both are text or one
// is nothing.
func (w *lines) between(title string, from, to undo.Side) {
	readable := func(x undo.Side) bool {
		return x.Type == undo.None || x.Type == undo.File && isText(x.Data) && (x.Data != nil || x.Size == 0)
	}
	if !readable(from) || !readable(to) || from.Type == undo.None && to.Type == undo.None {
		return
	}
	w.blank()
	w.add(event.LineFile, title)
	if d := diffFiles(from.Data, to.Data); len(d.lines) > 0 {
		w.out = append(w.out, d.lines...)
		return
	}
	w.fact("lines", "the same")
}

// resolved says which conflicts an undo resolves, and how.
func (w *lines) resolved(u undoing) {
	for _, r := range u.Resolved {
		w.warn("conflict", "in "+plainName(r.Path)+", which somebody else changed after the agent")
		w.fact("you chose", howWord(r.How))
		if undo.How(r.How) == undo.Keep {
			w.fact("", "nothing is written; what the agent did there counts as taken back")
		}
	}
	if len(u.Resolved) > 0 {
		w.blank()
	}
}

// step shows one step of a plan with its diff.
func (w *lines) step(word string, s undo.Step) {
	w.fact(word, s.Path)
	switch {
	case s.Keeps:
		w.fact("", "stays as it is; what the calls did to it counts as taken back")
		return
	case s.To.Type == undo.Link:
		w.fact("link to", string(s.To.Text))
	case s.To.Mode != s.From.Mode && s.To.Type != undo.None && s.From.Type != undo.None:
		w.fact("mode", fmt.Sprintf("%04o becomes %04o", s.From.Mode, s.To.Mode))
	}
	if s.From.Type != undo.File && s.To.Type != undo.File {
		return
	}
	if !isText(s.Was) || !isText(s.Data) {
		w.fact("content", fmt.Sprintf("not text: %s become %s", size(int64(len(s.Was))), size(int64(len(s.Data)))))
		return
	}
	w.out = append(w.out, diffFiles(s.Was, s.Data).lines...)
}
