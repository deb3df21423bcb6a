package app

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

func count(n int, one, more safe.Text) safe.Text {
	if n == 1 {
		return safe.Join(safe.Int(n), one)
	}
	return safe.Join(safe.Int(n), more)
}

// some is count, and nothing for none.
func some(n int, one, more safe.Text) safe.Text {
	if n == 0 {
		return safe.Text{}
	}
	return count(n, one, more)
}

// models is the list of models to choose from.
type models struct {
	list
	rows []snap.ModelRow
}

func (m *Model) openModels() tea.Cmd {
	if m.o.Desk.Models == nil {
		m.warn("there is no list of models here", "/model [PROVIDER] NAME sets one")
		return nil
	}
	p := &models{list: list{picker.Room{
		Title: safe.Lit("models"), Facts: safe.Lit("from the next request on"), Typed: true,
		Empty: safe.Lit("looking for models ..."), None: safe.Lit("none of those that are known; enter asks for it by this name, or PROVIDER NAME"),
		Foot: []picker.Hint{hint(safe.Lit("enter"), safe.Lit("use it")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}}}
	m.open(p)
	return query("models", m.o.Desk.Models, still(p, p.set))
}

func (p *models) set(m *Model, rows []snap.ModelRow, _ error) tea.Cmd {
	p.rows = rows
	p.room.Empty = safe.Lit("no model was found: a local server has to run, or a key to be set")
	out := make([]picker.Row, len(rows))
	for i, r := range rows {
		out[i] = picker.Row{
			ID: fmt.Sprint(i), Title: safe.Strict(r.Name), More: r.Provider, Note: safe.Strict(r.Note),
			Cells: []safe.Text{safe.Strict(r.Provider), safe.Strict(r.Facts)},
		}
		if r.Name == m.state.Model.Name && r.Provider == m.state.Model.Provider {
			out[i].Right = safe.Lit("in use")
		}
	}
	p.room.Set(out)
	return nil
}

func (p *models) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	if name != "enter" {
		return nil, p.room.Key(name, k)
	}
	row := p.room.Chosen()
	switch {
	case row == nil && strings.TrimSpace(p.room.Find()) != "":
		m.open(nil) // none of those that are known: as /model takes it
		m.o.Send(snap.Named(strings.TrimSpace(p.room.Find())))
	case row == nil:
	case !row.Note.Empty():
		m.warn(row.Title.String()+": "+row.Note.String(), "")
	default:
		for i, r := range p.rows {
			if fmt.Sprint(i) == row.ID {
				m.o.Send(event.SetModel{Provider: r.Provider, Model: r.Name})
			}
		}
		m.open(nil)
	}
	return nil, true
}

// checks is what works on this machine, and what does not.
type checks struct{ list }

func (m *Model) openChecks() tea.Cmd {
	if m.o.Desk.Checks == nil {
		m.warn("there is no self test here", "tera-pilot doctor")
		return nil
	}
	p := &checks{list{picker.Room{
		Title: safe.Lit("self test"), Facts: safe.Lit("nothing of the project is run"), Empty: safe.Lit("looking ..."),
		Foot: []picker.Hint{hint(safe.Lit("up down"), safe.Lit("choose")), hint(safe.Lit("/"), safe.Lit("find")), hint(safe.Lit("esc"), safe.Lit("back"))},
	}}}
	m.open(p)
	return query("self test", m.o.Desk.Checks, still(p, p.set))
}

func (p *checks) set(_ *Model, rows []snap.CheckRow, _ error) tea.Cmd {
	out, bad := make([]picker.Row, len(rows)), 0
	for i, r := range rows {
		lead := safe.Lit(" ok   ")
		switch r.Status {
		case "ok":
		case "warn":
			lead, bad = safe.Lit(" !    "), bad+1
		default:
			lead, bad = safe.Lit("!fail "), bad+1
		}
		out[i] = picker.Row{ID: fmt.Sprint(i), Lead: lead, Title: safe.Strict(r.Name), Cells: []safe.Text{safe.Strict(r.Detail)}, Warn: r.Status != "ok", About: []safe.Text{safe.Strict(r.Detail), safe.Strict(r.Hint)}}
	}
	p.room.Facts = safe.Lit("everything works")
	if bad > 0 {
		p.room.Facts = safe.Join(count(bad, safe.Lit(" needs a look of "), safe.Lit(" need a look of ")), safe.Int(len(rows)))
	}
	p.room.Set(out)
	return nil
}

func (p *checks) key(_ *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	return nil, p.room.Key(name, k)
}
