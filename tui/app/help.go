package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// help is the table of keys and commands.
type help struct{ top, height int }

func (p *help) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	var all []view.Line
	for _, s := range m.o.Keys.Help() {
		if len(all) > 0 {
			all = append(all, nil)
		}
		all = append(all, view.Lit(theme.Title, s.Where))
		for _, k := range s.Keys {
			all = append(all, m.helpRow(k.Press, k.Does, w)...)
		}
	}
	all = append(all, nil, view.Lit(theme.Title, safe.Lit("Commands")))
	for _, c := range keys.Commands() {
		all = append(all, m.helpRow(safe.Join(c.Name, safe.Lit(" "), c.Args), c.Does, w)...)
	}
	p.height = max(0, h-2)
	p.top = max(0, min(p.top, len(all)-p.height))
	out := []view.Line{m.widths.Ends(view.Lit(theme.Title, safe.Lit("keys")), view.Lit(theme.Dim, safe.Lit("up down scroll, any other key closes")), w, 4)}
	out = append(out, view.Rule(w))
	return append(out, all[p.top:min(len(all), p.top+p.height)]...), nil
}

// helpRow is a key and what it does: beside each other, or below where the key
// is long.
func (m *Model) helpRow(press, does safe.Text, w int) []view.Line {
	col := min(34, w*2/5)
	key := view.Join(view.Spaces(2), view.Lit(theme.Key, press))
	if m.widths.Line(key) < col {
		return m.widths.Wrap(view.Join(m.widths.Pad(key, col), view.Lit(theme.Plain, does)), w, col)
	}
	out := m.widths.Wrap(key, w, 4)
	for _, row := range m.widths.Wrap(view.Lit(theme.Plain, does), max(1, w-col), 0) {
		out = append(out, view.Join(view.Spaces(col), row))
	}
	return out
}

func (p *help) paste(*Model, string) tea.Cmd { return nil }

func (p *help) writing() bool { return false }

func (p *help) key(m *Model, name string, _ uv.Key, _ time.Time) (tea.Cmd, bool) {
	switch name {
	case "down":
		p.top++
	case "up":
		p.top--
	case "pgdown", "space":
		p.top += max(1, p.height-1)
	case "pgup":
		p.top -= max(1, p.height-1)
	case "home":
		p.top = 0
	case "end":
		p.top = 1 << 30
	default:
		if m.o.Keys.Of(keys.Anywhere, name) != keys.None {
			return nil, false
		}
		m.open(nil)
	}
	return nil, true
}
