package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// window opens or ends a timed window. The session says whether it may.
func (m *Model) window(word, rest string) {
	c, ok := snap.ParseWindow(word, rest)
	if !ok {
		m.warn(word+" takes a time", "/trust 10m  /unsafe 5m  /strict")
		return
	}
	m.o.Send(c)
}

// rules is what was remembered.
type rules struct{ list }

func (m *Model) openRules() tea.Cmd {
	if m.o.Desk.Rules == nil {
		m.warn("there is no list of rules here", "tera-pilot policy list")
		return nil
	}
	p := &rules{list{picker.Room{
		Title: safe.Lit("remembered"), Facts: safe.Lit("what you allowed beyond one call"), Empty: safe.Lit("nothing is remembered"),
		Foot: []picker.Hint{hint(safe.Lit("up down"), safe.Lit("choose")), hint(safe.Lit("del"), safe.Lit("forget")), hint(safe.Lit("/"), safe.Lit("find")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}}}
	m.open(p)
	return p.load(m)
}

// load looks at what is remembered.
func (p *rules) load(m *Model) tea.Cmd {
	return query("rules", m.o.Desk.Rules, still(p, p.set))
}

func (p *rules) set(_ *Model, rows []snap.RuleRow, _ error) tea.Cmd {
	out := make([]picker.Row, len(rows))
	for i, r := range rows {
		until := safe.Lit("this session")
		if r.Until != "" {
			until = safe.Join(safe.Lit("until "), safe.Strict(r.Until))
		}
		out[i] = picker.Row{
			ID: r.ID, Title: safe.Strict(r.Says), Cells: []safe.Text{until}, Warn: r.Silent != "",
			About: []safe.Text{safe.Strict(r.Says), safe.Join(safe.Strict(r.ID), safe.Lit("  in "), safe.Strict(r.Where)), safe.Strict(r.Silent)},
		}
	}
	p.room.Set(out)
	return nil
}

func (p *rules) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	if row := p.room.Chosen(); name == "delete" && row != nil && !p.room.Searching() {
		m.o.Send(event.Forget{Rule: row.ID})
		return p.load(m), true
	}
	return nil, p.room.Key(name, k)
}
