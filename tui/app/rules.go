package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
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
type rules struct {
	room picker.Room
}

func (m *Model) openRules() tea.Cmd {
	if m.o.Desk.Rules == nil {
		m.warn("there is no list of rules here", "tera-pilot policy list")
		return nil
	}
	m.open(&rules{picker.Room{
		Title: safe.Lit("remembered"), Facts: safe.Lit("what you allowed beyond one call"), Empty: safe.Lit("nothing is remembered"),
		Foot: []picker.Hint{hint(safe.Lit("up down"), safe.Lit("choose")), hint(safe.Lit("del"), safe.Lit("forget")), hint(safe.Lit("/"), safe.Lit("find")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}})
	return query("rules", m.o.Desk.Rules)
}

func (p *rules) set(rows []snap.RuleRow) {
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
}

func (p *rules) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	lines, caret := p.room.View(w, h, m.widths)
	return lines, caret
}

func (p *rules) writing() bool { return p.room.Find() != "" }

func (p *rules) paste(text string) { p.room.Paste(text) }

func (p *rules) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	if row := p.room.Chosen(); name == "delete" && row != nil && !p.room.Searching() {
		m.o.Send(event.Forget{Rule: row.ID})
		return query("rules", m.o.Desk.Rules), true
	}
	return nil, p.room.Key(name, k)
}
