package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/room/sheet"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// undo is the list of what this session changed, newest first, as the session
// tells it. Who takes something back here is a person: it is its own yes.
type undo struct {
	list
	points []event.UndoPoint
	plan   *event.UndoPlan // that is on the screen; nil for the list
	asked  event.Undo      // what it is the plan of
	sheet  *sheet.Sheet
	rev    uint64

	conflicts *conflicts // of the plan, when they are looked at
	straight  bool       // the plan was asked for to look at them
}

func (m *Model) openUndo() *undo {
	lit := safe.Lit
	u := &undo{list: list{picker.Room{
		Title: lit("undo  what this session changed"), Empty: lit("nothing was changed in this session"),
		Foot: []picker.Hint{
			hint(lit("enter"), lit("what would happen")), hint(lit("u"), lit("take this back")), hint(lit("c"), lit("resolve conflict")), hint(lit("U"), lit("and all after it")), hint(lit("a"), lit("redo")),
			hint(lit("/"), lit("find")), hint(lit("esc"), lit("back")),
		},
	}}}
	m.state.Undo.Plan = nil
	m.open(u)
	u.set(m.state.Undo.Points)
	u.rev = m.state.Rev
	m.o.Send(event.ListUndo{})
	return u
}

func (u *undo) set(points []event.UndoPoint) {
	u.points = points
	rows, undone := make([]picker.Row, len(points)), 0
	for i, p := range points {
		rows[i] = undoRow(p)
		if p.Undone {
			undone++
		}
	}
	u.room.Facts = safe.Lit("nothing taken back yet")
	if undone > 0 {
		u.room.Facts = safe.Join(safe.Int(undone), safe.Lit(" taken back"))
	}
	u.room.Set(rows)
}

func undoRow(p event.UndoPoint) picker.Row {
	verb, title := snap.Act(p.Tool, p.Title)
	row := picker.Row{ID: p.Call, Title: safe.Join(safe.Strict(verb), safe.Lit(" "), safe.Strict(title))}
	conflicts, names := 0, []string{}
	for _, f := range p.Files {
		line := safe.Join(safe.Strict(f.Change), safe.Lit("  "), safe.Strict(f.Path))
		if f.Conflict != "" {
			conflicts++
			line = safe.Join(line, safe.Lit("  conflict: "), safe.Strict(f.Conflict))
		}
		row.About = append(row.About, line)
		names = append(names, f.Path)
	}
	for _, t := range p.Uncovered {
		row.About = append(row.About, safe.Join(safe.Lit("! cannot be put back: "), safe.Strict(t)))
	}
	row.More = strings.Join(names, " ")
	state := safe.Lit("clean")
	switch {
	case conflicts > 0:
		state, row.Warn = count(conflicts, safe.Lit(" conflict"), safe.Lit(" conflicts")), true
	case len(p.Uncovered) > 0:
		state, row.Warn = safe.Lit("in part"), true
	}
	row.Cells = []safe.Text{safe.Join(safe.Lit("turn "), safe.Int(p.Turn)), count(len(p.Files), safe.Lit(" file"), safe.Lit(" files")), state}
	switch {
	case p.Undone && len(p.Of) > 0:
		row.Note = safe.Lit("done again")
	case p.Undone:
		row.Note = safe.Lit("taken back")
	case len(p.Of) > 0:
		row.Right = safe.Lit("u does it again")
	}
	return row
}

// look takes what the session said since.
func (u *undo) look(m *Model) {
	if u.rev == m.state.Rev {
		return
	}
	u.rev = m.state.Rev
	u.set(m.state.Undo.Points)
	if p := m.state.Undo.Plan; p != nil && p != u.plan {
		u.plan, u.sheet = p, sheet.New(p.Lines)
		if u.straight && len(p.Conflicts) > 0 {
			u.conflicts = newConflicts(p, u.asked)
		}
		u.straight = false
	}
}

func (u *undo) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	u.look(m)
	switch {
	case u.plan == nil:
		return u.room.View(w, h, m.widths)
	case u.conflicts != nil:
		return u.conflicts.view(m, w, h), nil
	}
	return u.planView(m, w, h), nil
}

// planView is what an undo would do, before it does.
func (u *undo) planView(m *Model, w, h int) []view.Line {
	title := view.Lit(theme.Title, safe.Join(safe.Lit("undo  what would happen to "), count(len(u.plan.Files), safe.Lit(" file"), safe.Lit(" files"))))
	out := []view.Line{m.widths.Cut(title, w), view.Rule(w)}
	if u.plan.Problem != "" {
		out = append(out, m.widths.Wrap(view.Join(view.Lit(theme.Warn, safe.Lit(" ! ")), view.Text(theme.Plain, safe.Strict(u.plan.Problem))), w, 3)...)
	}
	for _, f := range u.plan.Files {
		l := view.Join(view.Spaces(3), view.Text(theme.Plain, safe.Strict(f.Path)), view.Spaces(2), view.Text(theme.Dim, safe.Strict(f.Change)))
		switch {
		case f.Conflict != "":
			l = view.Join(l, view.Spaces(2), view.Text(theme.Warn, safe.Join(safe.Lit("left as it is: "), safe.Strict(f.Conflict))))
		case f.Merged:
			l = view.Join(l, view.Lit(theme.Warn, safe.Lit("  what others changed since stays in it")))
		}
		out = append(out, m.widths.Wrap(l, w, 5)...)
	}
	for _, t := range u.plan.Uncovered {
		out = append(out, m.widths.Wrap(view.Join(view.Lit(theme.Warn, safe.Lit(" ! cannot be put back  ")), view.Text(theme.Plain, safe.Strict(t))), w, 5)...)
	}
	out = out[:min(len(out), max(2, h/2))]
	rows, _ := u.sheet.View(w, max(0, h-len(out)-3), m.widths)
	out = append(append(out, nil), rows...)
	keys := []picker.Hint{hint(safe.Lit("u"), safe.Lit("do it"))}
	if len(u.plan.Conflicts) > 0 {
		keys = append(keys, hint(safe.Lit("c"), safe.Lit("resolve the conflict")))
	}
	keys = append(keys, hint(safe.Lit("up down pgup pgdown"), safe.Lit("scroll")), hint(safe.Lit("esc"), safe.Lit("back, nothing is done")))
	return append(view.Fill(out, max(0, h-2)), view.Rule(w), m.hintRow(w, keys...))
}

func (u *undo) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	switch {
	case u.conflicts != nil:
		cmd, leave, ok := u.conflicts.key(m, name)
		if leave {
			u.conflicts = nil
		}
		return cmd, ok
	case u.plan != nil:
		return nil, u.planKey(m, name)
	}
	if u.room.Key(name, k) {
		return nil, true
	}
	if name == "a" {
		u.redo(m)
		return nil, true
	}
	row := u.room.Chosen()
	if row == nil {
		return nil, false
	}
	switch {
	case name != "enter" && name != "c" && name != "u" && name != "U" && name != "shift+u":
		return nil, false
	case !row.Note.Empty():
		m.warn("this was "+row.Note.String()+" already", "")
	case name == "c" && !u.inConflict(row.ID):
		m.warn("nothing of this is in conflict", "u takes it back")
	case name == "enter", name == "c":
		u.asked, u.straight = event.Undo{Call: row.ID}, name == "c"
		m.o.Send(event.Undo{Call: row.ID, Dry: true})
	default:
		u.take(m, event.Undo{Call: row.ID, Down: name != "u"})
	}
	return nil, true
}

// inConflict says that something that a call changed is something else now.
func (u *undo) inConflict(call string) bool {
	return slices.ContainsFunc(u.points, func(p event.UndoPoint) bool {
		return p.Call == call && slices.ContainsFunc(p.Files, func(f event.UndoFile) bool { return f.Conflict != "" && !f.Undone })
	})
}

// redo does again what was taken back last.
func (u *undo) redo(m *Model) {
	for _, p := range u.points { // newest first
		if len(p.Of) > 0 && !p.Undone {
			u.take(m, event.Undo{Call: p.Call})
			return
		}
	}
	m.warn("nothing was taken back that could be done again", "")
}

// take sends the undo, and asks what can be taken back then.
func (u *undo) take(m *Model, what event.Undo) {
	if m.state.Busy {
		m.warn("a turn runs: what it changes next is not known", "esc in the conversation stops it")
		return
	}
	m.o.Send(what)
	m.o.Send(event.ListUndo{})
	u.close(m)
}

func (u *undo) close(m *Model) {
	u.plan, u.sheet, u.conflicts, u.straight, m.state.Undo.Plan = nil, nil, nil, false, nil
}

func (u *undo) planKey(m *Model, name string) bool {
	switch name {
	case "esc":
		u.close(m)
	case "u":
		u.take(m, u.asked)
	case "c":
		if len(u.plan.Conflicts) > 0 {
			u.conflicts = newConflicts(u.plan, u.asked)
		}
	default:
		return scrolled(u.sheet, name)
	}
	return true
}

// undo takes back what the words behind /undo name; none show what there is.
func (m *Model) undo(rest string, now time.Time) tea.Cmd {
	if rest == "" {
		return m.do(keys.Undo, now)
	}
	u, err := event.ParseUndo(rest)
	switch {
	case err != nil:
		m.warn(err.Error(), "/undo [all|turn N|call ID|PATH|keep PATH|old PATH|try …]")
		return nil
	case u.Dry:
		asked := u
		asked.Dry = false
		m.openUndo().asked = asked
	case len(u.Resolve) > 0:
		m.asks.wanted = m.o.Now()
	}
	m.o.Send(u)
	return nil
}

// undoAll takes back all that this session changed, after it was asked whether
// that is meant.
func (m *Model) undoAll(now time.Time) {
	files := count(len(m.state.Changed), safe.Lit(" file"), safe.Lit(" files")).String()
	m.sure("take back everything in this session", []string{
		"changed   " + files, "goes      what this session changed in them, newest first",
		"stays     what others changed since; a file in which both cannot be told apart is left as it is, and named",
		"again     ctrl+z, then a, does all of it again",
	}, now, func() tea.Cmd { m.o.Send(event.Undo{All: true}); return nil })
}
