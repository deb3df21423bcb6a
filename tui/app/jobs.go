package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// jobs are the commands that run in the background.
type jobs struct{ list }

func (m *Model) openJobs() {
	m.open(&jobs{list{picker.Room{
		Title: safe.Lit("background jobs"), Empty: safe.Lit("none runs"),
		Foot: []picker.Hint{hint(safe.Lit("x"), safe.Lit("stop it")), hint(safe.Lit("/"), safe.Lit("find")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}}})
}

func (p *jobs) view(m *Model, w, h int, now time.Time) ([]view.Line, *view.Cell) {
	rows := make([]picker.Row, len(m.state.Jobs))
	for i, j := range m.state.Jobs {
		rows[i] = picker.Row{ID: j.ID, Title: safe.Strict(j.Title), Cells: []safe.Text{safe.Strict(j.ID)}}
	}
	p.room.Facts = some(len(rows), safe.Lit(" job runs"), safe.Lit(" jobs run"))
	p.room.Set(rows)
	return p.list.view(m, w, h, now)
}

func (p *jobs) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	if p.room.Key(name, k) {
		return nil, true
	}
	row := p.room.Chosen()
	if row == nil || name != "x" {
		return nil, false
	}
	m.o.Send(event.StopJob{Job: row.ID})
	m.say("told it to end")
	return nil, true
}
