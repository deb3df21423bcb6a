package ask

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// extra are the options of a question of the model, or the scopes: as many as
// fit into most rows, the chosen one among them. fits says that all of the
// chosen one is there.
func (r *Room) extra(width, most int, w view.Widths) (out []view.Line, fits bool) {
	var blocks [][]view.Line
	switch {
	case r.mode == scoping:
		for i, s := range r.q.Scopes {
			blocks = append(blocks, r.scope(s, i == r.chosen, width, w))
		}
	case r.q.Kind == event.AskUser:
		for i, o := range r.q.Options {
			blocks = append(blocks, option(safe.Shown(o), i == r.chosen, width, w))
		}
	}
	if len(blocks) == 0 {
		return nil, true
	}
	start, end := 0, 0
	for i, b := range blocks {
		if i == r.chosen {
			start, end = len(out), len(out)+len(b)
		}
		out = append(out, b...)
	}
	first := 0
	if end > most-1 {
		first = min(start, end-(most-1))
	}
	out = out[first:min(len(out), first+max(0, most-1))]
	return append([]view.Line{nil}, out...), end-start <= most-1
}

func option(t safe.Text, chosen bool, width int, w view.Widths) []view.Line {
	mark, style := safe.Lit("   "), theme.Plain
	if chosen {
		mark, style = safe.Lit(" > "), theme.Strong
	}
	return w.Wrap(view.Join(view.Lit(theme.Key, mark), view.Text(style, t)), width, 3)
}

// scope is one row, and for the chosen one, which an answer would take, all
// that it says.
func (r *Room) scope(s event.Scope, chosen bool, width int, w view.Widths) []view.Line {
	out := option(safe.Shown(s.Title), chosen, width, w)
	if !chosen {
		return out
	}
	for _, d := range []struct{ name, text safe.Text }{
		{safe.Lit("     match  "), safe.Shown(s.Match)}, {safe.Lit("     not    "), safe.Shown(s.NoMatch)}, {safe.Lit("     rule   "), safe.Shown(snap.OneRow(s.Rule))},
		{safe.Lit("     ends   "), ends(s)}, {safe.Lit("     seen   "), safe.Shown(s.Seen)},
	} {
		if !d.text.Empty() {
			out = append(out, w.Wrap(view.Join(view.Lit(theme.Dim, d.name), view.Text(theme.Dim, d.text)), width, 12)...)
		}
	}
	return out
}

// ends is when a scope ends, in the person's own time.
func ends(s event.Scope) safe.Text {
	if s.Ends != "" {
		return safe.Shown(s.Ends)
	}
	if s.Until.IsZero() {
		return safe.Lit("with this session")
	}
	return safe.Strict(s.Until.Local().Format("2006-01-02 15:04"))
}
