// Package start is the room before there is a session: what was found, and
// what can be done next. Nothing has been sent anywhere then.
package start

import (
	"cmp"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Room holds the choice.
type Room struct {
	s      snap.Start
	chosen int
	input  *composer.Room // what is being typed for the chosen action
	why    string         // an action that was pressed cannot be taken for this
}

// Set changes what is shown. The chosen action stays the chosen one wherever it
// stands now, with what is being typed for it: no key that is on its way takes
// another one.
func (r *Room) Set(s snap.Start) {
	id := ""
	if r.chosen < len(r.s.Can) {
		id = r.s.Can[r.chosen].ID
	}
	r.s, r.why = s, ""
	if r.chosen = slices.IndexFunc(s.Can, func(a snap.Action) bool { return a.ID == id }); r.chosen < 0 {
		r.chosen, r.input = 0, nil
	}
}

// A Choice is an action that was chosen, with what was typed for it. The zero
// Choice is none.
type Choice struct{ ID, Text string }

// Key handles a key and returns what it chose.
func (r *Room) Key(name string, k uv.Key, followed bool) Choice {
	if r.input != nil {
		return r.typed(name, k, followed)
	}
	r.why = ""
	switch name {
	case "up":
		r.chosen = max(0, r.chosen-1)
	case "down", "tab":
		r.chosen = min(max(0, len(r.s.Can)-1), r.chosen+1)
	case "enter":
		if r.chosen < len(r.s.Can) {
			return r.take(r.chosen)
		}
	default:
		for i, a := range r.s.Can {
			if a.Key == name && name != "" {
				r.chosen = i
				return r.take(i)
			}
		}
	}
	return Choice{}
}

// typed handles a key of what is being typed. enter takes it, esc drops it.
func (r *Room) typed(name string, k uv.Key, followed bool) Choice {
	switch {
	case name == "esc":
		r.input = nil
	case name != "enter":
		r.input.Press(k)
	case followed: // inside of a burst: a paste without brackets
	default:
		if text := strings.TrimSpace(r.input.Text()); text != "" {
			r.input = nil
			return Choice{r.s.Can[r.chosen].ID, text}
		}
	}
	return Choice{}
}

// Paste adds to what is being typed.
func (r *Room) Paste(text string) {
	if r.input != nil {
		r.input.Insert(strings.TrimSpace(text))
	}
}

// Leaves says that this key, when nothing is typed, leaves the screen.
func (r *Room) Leaves(name string) bool {
	return r.input == nil && (name == "ctrl+d" || name == "esc" && r.s.Back)
}

// Typing says that letters are text now.
func (r *Room) Typing() bool { return r.input != nil }

func (r *Room) take(i int) Choice {
	a := r.s.Can[i]
	switch {
	case a.Note != "":
		r.why = a.Title + ": " + a.Note
		return Choice{}
	case a.Input != nil:
		r.input = &composer.Room{OneLine: true}
		return Choice{}
	default:
		return Choice{ID: a.ID}
	}
}

// View draws the room, and says where the caret is. Where there is no room for
// all, what can be done stays.
func (r *Room) View(width, height int, w view.Widths) ([]view.Line, *view.Cell) {
	foot, caret := r.foot(width, w)
	room := max(0, height-1-len(foot))
	var body []view.Line
	for _, part := range []parts{{true, true, true}, {false, true, true}, {false, false, true}, {}} {
		if body = r.body(width, room, w, part); len(body) <= room {
			break
		}
	}
	if caret != nil {
		caret.Y += room + 1
	}
	return append(append(view.Fill(body, room), view.Rule(width)), foot...), caret
}

// foot is the row of keys, or the line that is being typed.
func (r *Room) foot(width int, w view.Widths) ([]view.Line, *view.Cell) {
	if r.input == nil {
		keys := view.Join(
			view.Lit(theme.Key, safe.Lit("arrows")), view.Spaces(3), view.Lit(theme.Key, safe.Lit("enter")), view.Spaces(3),
			view.Lit(theme.Key, safe.Lit("?")), view.Lit(theme.Dim, safe.Lit(" keys   ")), r.leave())
		return []view.Line{w.Cut(keys, width)}, nil
	}
	in := r.s.Can[r.chosen].Input
	label := w.Cut(view.Join(view.Text(theme.Title, safe.Strict(in.Label)), view.Spaces(1)), max(1, width/2))
	help := view.Lit(theme.Dim, safe.Lit("enter takes it   esc back"))
	if in.Hidden {
		says := safe.Join(safe.Lit("(not shown, "), safe.Int(len(r.input.Text())), safe.Lit(" bytes)"))
		return []view.Line{w.Cut(view.Join(label, view.Lit(theme.Plain, says)), width), w.Cut(help, width)}, &view.Cell{X: w.Line(label)}
	}
	box, at := r.input.View(max(1, width-w.Line(label)), 1, 1, w)
	return []view.Line{view.Join(label, box[0]), w.Cut(help, width)}, &view.Cell{X: w.Line(label) + at.X}
}

// leave is the key that leaves the screen, and where to.
func (r *Room) leave() view.Line {
	if r.s.Back {
		return view.Join(view.Lit(theme.Key, safe.Lit("esc")), view.Lit(theme.Dim, safe.Lit(" back")))
	}
	return view.Join(view.Lit(theme.Key, safe.Lit("ctrl+d")), view.Lit(theme.Dim, safe.Lit(" quit")))
}

// parts are what can be left out.
type parts struct{ heads, found, notes bool }

func (r *Room) body(width, room int, w view.Widths, with parts) []view.Line {
	out := []view.Line{w.Ends(view.Lit(theme.Title, safe.Lit("tera-pilot")), view.Text(theme.Dim, safe.Strict(r.s.Folder)), width, 10)}
	section := func(lines ...view.Line) {
		if with.heads || len(out) > 1 && with.found {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	says := w.Wrap(view.Join(view.Spaces(2), view.Text(theme.Strong, safe.Strict(cmp.Or(r.why, r.s.Says)))), width, 2)
	if with == (parts{}) {
		says = says[:max(0, min(len(says), room-2))] // one action at least
	}
	section(says...)
	if with.found {
		section(r.found(width, w, with.heads)...)
	}
	var can []view.Line
	for i, a := range r.s.Can {
		can = append(can, action(a, i == r.chosen, width, w))
	}
	if with == (parts{}) { // the last resort: those around the chosen one
		can = around(can, r.chosen, max(1, room-len(out)), width, w)
	}
	section(can...)
	if with.notes && len(r.s.Notes) > 0 {
		var notes []view.Line
		for _, t := range r.s.Notes {
			notes = append(notes, w.Wrap(view.Join(view.Spaces(2), view.Text(theme.Plain, safe.Strict(t))), width, 4)...)
		}
		section(notes...)
	}
	return out
}

// around are the rows about the chosen one that fit, and a row that counts
// those which do not.
func around(rows []view.Line, chosen, most, width int, w view.Widths) []view.Line {
	told := len(rows) > most && most > 2
	if told {
		most--
	}
	first := max(0, min(chosen-most/2, len(rows)-most))
	end := min(len(rows), first+most)
	out := slices.Clone(rows[first:end])
	if told {
		says := safe.Join(safe.Lit("    "), safe.Int(first), safe.Lit(" more above, "), safe.Int(len(rows)-end), safe.Lit(" below"))
		out = append(out, w.Cut(view.Lit(theme.Dim, says), width))
	}
	return out
}

// found are the servers and keys that were looked for.
func (r *Room) found(width int, w view.Widths, heads bool) []view.Line {
	var out []view.Line
	if heads && len(r.s.Local) > 0 {
		out = append(out, view.Join(view.Spaces(2), view.Lit(theme.Dim, safe.Lit("Local models"))))
	}
	for _, s := range r.s.Local {
		out = append(out, server(s, width, w))
	}
	if heads && len(r.s.Remote) > 0 {
		if len(out) > 0 {
			out = append(out, nil)
		}
		out = append(out, view.Join(view.Spaces(2), view.Lit(theme.Dim, safe.Lit("Remote models"))))
	}
	for _, t := range r.s.Remote {
		out = append(out, w.Cut(view.Join(view.Spaces(4), view.Text(theme.Plain, safe.Strict(t))), width))
	}
	return out
}

func server(s snap.Server, width int, w view.Widths) view.Line {
	l := view.Join(view.Spaces(4), w.Pad(view.Text(theme.Plain, safe.Strict(s.Name)), 13))
	if width >= 72 {
		l = view.Join(l, w.Pad(view.Text(theme.Dim, safe.Strict(s.Address)), 18))
	}
	l = view.Join(l, w.Pad(view.Text(theme.Plain, safe.Strict(s.State)), 17))
	if width >= 72 {
		l = view.Join(l, view.Text(theme.Dim, safe.Strict(s.Hint)))
	}
	return w.Cut(l, width)
}

// actionWidth is the column of the keys.
const actionWidth = 54

func action(a snap.Action, chosen bool, width int, w view.Widths) view.Line {
	mark, style := safe.Lit("  "), theme.Plain
	if chosen {
		mark, style = safe.Lit("> "), theme.Strong
	}
	note := view.Line(nil)
	if a.Note != "" {
		style = theme.Dim
		note = view.Join(view.Spaces(3), view.Text(theme.Dim, safe.Strict(a.Note)))
	}
	col := min(actionWidth, max(10, width-6))
	left := w.Pad(w.Cut(view.Join(view.Spaces(2), view.Lit(theme.Key, mark), view.Text(style, safe.Strict(a.Title))), col-2), col)
	return w.Cut(view.Join(left, view.Text(theme.Key, safe.Strict(a.Key)), note), width)
}
