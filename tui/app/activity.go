package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// auditLog is the view of the audit log.
type auditLog struct{ room *activity.Room }

// openActivity shows the log, and has the session state that it was looked at.
func (m *Model) openActivity() tea.Cmd {
	if m.o.Log == nil {
		m.warn("there is no log to look at here", "")
		return nil
	}
	p := &auditLog{activity.New()}
	m.open(p)
	m.o.Send(event.Seen{What: "audit.viewed"})
	return tea.Batch(p.want(m, activity.Load), p.check(m, false))
}

// key gives the view every key: also those that count anywhere else.
func (p *auditLog) key(m *Model, name string, k uv.Key, _ time.Time) (tea.Cmd, bool) {
	return p.want(m, p.room.Key(name, k.Text)), true
}

func (p *auditLog) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	return p.room.View(w, h, m.widths), nil
}

func (p *auditLog) paste(_ *Model, text string) tea.Cmd {
	p.room.Paste(text)
	return nil
}

func (p *auditLog) writing() bool { return p.room.Searched() }

// want does what the view asks for. What the log answers to a view that was left
// meanwhile is dropped.
func (p *auditLog) want(m *Model, want activity.Wants) tea.Cmd {
	source := m.o.Log
	switch want {
	case activity.Close:
		m.open(nil)
	case activity.Load:
		after := p.room.Next()
		return apart(func() (activity.Page, error) { return source.Load(after) }, still(p, func(m *Model, page activity.Page, err error) tea.Cmd {
			return p.want(m, p.room.Loaded(page, err))
		}))
	case activity.Record:
		seq := p.room.Chosen()
		return apart(func() ([]string, error) { return source.Record(seq) }, still(p, func(_ *Model, lines []string, err error) tea.Cmd {
			p.room.Recorded(seq, lines, err)
			return nil
		}))
	case activity.Verify:
		return p.check(m, true)
	case activity.Export:
		return m.export(p)
	case activity.Copy:
		return m.copyText(p.room.ID())
	case activity.Nothing:
	}
	return nil
}

func (p *auditLog) check(m *Model, full bool) tea.Cmd {
	source := m.o.Log
	return apart(func() (activity.Chain, error) { return source.Verify(full), nil }, still(p, func(_ *Model, chain activity.Chain, _ error) tea.Cmd {
		p.room.Verified(chain)
		return nil
	}))
}

// export writes signed evidence; the log itself states that it did. p is the
// view that asked, nil for the command.
func (m *Model) export(p *auditLog) tea.Cmd {
	if m.o.Log == nil {
		m.warn("there is no log to export here", "")
		return nil
	}
	return apart(m.o.Log.Export, func(m *Model, path string, err error) tea.Cmd {
		switch {
		case p != nil && m.panel == p:
			p.room.Exported(path, err)
		case err != nil:
			m.note = &event.Notice{Severity: "error", Text: "the evidence was not exported: " + err.Error()}
		default:
			m.note = &event.Notice{Severity: "info", Text: "signed evidence is in " + path, Hint: "tera-pilot audit verify checks it, here or elsewhere"}
		}
		return nil
	})
}

// logGrew loads what came into the log while the view is open.
func (m *Model) logGrew(events []event.Event) tea.Cmd {
	p, ok := m.panel.(*auditLog)
	if !ok {
		return nil
	}
	for _, e := range events {
		if _, ok := e.Body.(event.AuditHead); ok {
			return p.want(m, p.room.Grown())
		}
	}
	return nil
}
