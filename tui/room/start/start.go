// Package start is the room before there is a session: what was found, and
// what can be done next. Nothing has been sent anywhere then.
package start

import (
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A Room holds the choice.
type Room struct {
	s      snap.Start
	chosen int
}

// Set changes what is shown.
func (r *Room) Set(s snap.Start) {
	r.s = s
	r.chosen = min(r.chosen, max(0, len(s.Can)-1))
}

// Key handles a key by its name and returns the ID of the action that it
// chose, "" for none.
func (r *Room) Key(name string) (id string) {
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
	return ""
}

func (r *Room) take(i int) string {
	if r.s.Can[i].Note != "" {
		return ""
	}
	return r.s.Can[i].ID
}

// View draws the room. Where there is no room for all, what can be done stays.
func (r *Room) View(width, height int, w view.Widths) []view.Line {
	room := max(0, height-2)
	var body []view.Line
	for _, part := range []parts{{true, true, true}, {false, true, true}, {false, false, true}, {}} {
		if body = r.body(width, w, part); len(body) <= room {
			break
		}
	}
	keys := view.Join(
		view.Lit(theme.Key, safe.Lit("arrows")), view.Spaces(3), view.Lit(theme.Key, safe.Lit("enter")), view.Spaces(3),
		view.Lit(theme.Key, safe.Lit("?")), view.Lit(theme.Dim, safe.Lit(" keys   ")), view.Lit(theme.Key, safe.Lit("ctrl+d")), view.Lit(theme.Dim, safe.Lit(" quit")))
	return append(view.Fill(body, room), view.Rule(width), w.Cut(keys, width))
}

// parts are what can be left out.
type parts struct{ heads, found, notes bool }

func (r *Room) body(width int, w view.Widths, with parts) []view.Line {
	out := []view.Line{w.Ends(view.Lit(theme.Title, safe.Lit("tera-pilot")), view.Text(theme.Dim, safe.Strict(r.s.Folder)), width, 10)}
	section := func(lines ...view.Line) {
		if with.heads || len(out) > 1 && with.found {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	section(w.Wrap(view.Join(view.Spaces(2), view.Text(theme.Strong, safe.Strict(r.s.Says))), width, 2)...)
	if with.found {
		section(r.found(width, w, with.heads)...)
	}
	var can []view.Line
	for i, a := range r.s.Can {
		can = append(can, action(a, i == r.chosen, width, w))
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
