package agent

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
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
	sel, err := selection(w, undoArgs{Path: c.Path, Call: c.Call, Turn: c.Turn, All: c.All, Down: c.Down})
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
	}
	out.Lines = l.out
	return out
}

// step shows one step of a plan with its diff.
func (w *lines) step(word string, s undo.Step) {
	w.fact(word, s.Path)
	switch {
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
