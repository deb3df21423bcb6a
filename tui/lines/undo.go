package lines

import (
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// undo takes back what the agent changed: the person's own yes, unless it
// resolves a conflict, which is asked about with what would be written.
func (f *front) undo(rest string) error {
	if rest == "list" {
		return f.send(event.ListUndo{})
	}
	u, err := event.ParseUndo(rest)
	if err != nil {
		f.p.line("undo", err.Error())
		return nil
	}
	return f.send(u)
}

// points prints the calls that changed something, the newest first.
func (p *printer) points(all []event.UndoPoint) {
	if len(all) == 0 {
		p.line("undo", "nothing was changed in this session")
	}
	for _, x := range all {
		state := "clean"
		switch {
		case x.Undone:
			state = "taken back"
		case len(inConflict(x.Files)) > 0:
			state = "in conflict: " + strings.Join(inConflict(x.Files), ", ")
		}
		p.line("undo", fmt.Sprintf("%s  turn %d  %d files  %s  %s", x.Call, x.Turn, len(x.Files), state, x.Title))
		for _, u := range x.Uncovered {
			p.line("undo", "  cannot be put back: "+u)
		}
	}
}

func inConflict(files []event.UndoFile) (out []string) {
	for _, f := range files {
		if f.Conflict != "" && !f.Undone {
			out = append(out, f.Path)
		}
	}
	return out
}

// plan prints what an undo would do, and the sides of each conflict.
func (p *printer) plan(b event.UndoPlan) {
	if b.Problem != "" {
		p.line("undo", b.Problem)
	}
	for _, f := range b.Files {
		switch {
		case f.Conflict != "":
			p.line("undo", "conflict  "+f.Path+"  "+f.Conflict)
		case f.Merged:
			p.line("undo", "would be "+f.Change+"  "+f.Path+"  what others changed since stays in it")
		default:
			p.line("undo", "would be "+f.Change+"  "+f.Path)
		}
	}
	p.lines(b.Lines)
	for _, u := range b.Uncovered {
		p.line("undo", "cannot be put back: "+u)
	}
	for _, c := range b.Conflicts {
		p.line("undo", "the conflict in "+c.Path+":")
		p.lines(c.Lines)
		var how []string
		for _, w := range c.Can {
			if w != event.ResolveText { // an editor redraws the screen
				how = append(how, "/undo "+w+" "+c.Path)
			}
		}
		p.line("undo", "to resolve it, type: "+strings.Join(how, ", or: "))
	}
}

func (p *printer) lines(all []event.Line) {
	for _, l := range all {
		p.put("undo", safe.Join(safe.Lit("  "), safe.Shown(l.Text)))
	}
}
