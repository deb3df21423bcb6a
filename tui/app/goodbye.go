package app

import (
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Goodbye is what full mode leaves on the normal screen.
func (m *Model) Goodbye() []view.Line {
	s := &m.state
	if s.Session.ID == "" {
		return nil
	}
	var out []view.Line
	if s.Talk.Last != "" {
		it := snap.Item{Kind: snap.Pilot, Told: &snap.Told{Text: s.Talk.Last}}
		out = append(out, transcript.Draw(&it, max(20, m.width), m.widths, m.o.Now())...)
		out = append(out, nil)
	}
	out = append(out, view.Join(view.Lit(theme.Dim, safe.Lit("session ")), view.Text(theme.Plain, safe.Strict(s.Session.ID))))
	if s.Head.Head != "" {
		out = append(out, view.Join(
			view.Lit(theme.Dim, safe.Lit("log     ")), view.Text(theme.Plain, safe.Strict(s.Head.Head)),
			view.Lit(theme.Dim, safe.Join(safe.Lit(" #"), safe.Int(s.Head.Size)))))
	}
	if s.Session.Front != "demo" { // which is kept, and over
		out = append(out, view.Lit(theme.Dim, safe.Lit("tera-pilot --continue goes on from here")))
	}
	return out
}
