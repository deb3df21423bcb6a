package app

import (
	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
)

// What the source of the activity view answers.
type (
	activityPage struct {
		room *activity.Room
		page activity.Page
		err  error
	}
	activityRecord struct {
		room  *activity.Room
		seq   int64
		lines []string
		err   error
	}
	activityChain struct {
		room  *activity.Room
		chain activity.Chain
	}
	activityExport struct {
		room *activity.Room // nil: the command, not the view
		path string
		err  error
	}
)

// openActivity shows the log, and has the session state that it was looked at.
func (m *Model) openActivity() tea.Cmd {
	if m.o.Log == nil {
		m.note = &event.Notice{Severity: "warn", Text: "there is no log to look at here"}
		return nil
	}
	m.activity = activity.New()
	m.o.Send(event.Seen{What: "audit.viewed"})
	return tea.Batch(m.logged(activity.Load), m.check(false))
}

// activityKey handles a key while the view is open.
func (m *Model) activityKey(name, text string) tea.Cmd {
	want := m.activity.Key(name, text)
	if want == activity.Close {
		m.activity = nil
		return nil
	}
	return m.logged(want)
}

// logged has done what the view asks for, outside of this goroutine.
func (m *Model) logged(want activity.Wants) tea.Cmd {
	room, source := m.activity, m.o.Log
	switch want {
	case activity.Load:
		after := room.Next()
		return apart(func() tea.Msg {
			p, err := source.Load(after)
			return activityPage{room, p, err}
		})
	case activity.Record:
		seq := room.Chosen()
		return apart(func() tea.Msg {
			lines, err := source.Record(seq)
			return activityRecord{room, seq, lines, err}
		})
	case activity.Verify:
		return m.check(true)
	case activity.Export:
		return m.export(room)
	case activity.Copy:
		return m.copyText(room.ID())
	default:
		return nil
	}
}

func (m *Model) check(full bool) tea.Cmd {
	room, source := m.activity, m.o.Log
	return apart(func() tea.Msg { return activityChain{room, source.Verify(full)} })
}

// export writes signed evidence; the log itself states that it did.
func (m *Model) export(room *activity.Room) tea.Cmd {
	source := m.o.Log
	if source == nil {
		m.note = &event.Notice{Severity: "warn", Text: "there is no log to export here"}
		return nil
	}
	return apart(func() tea.Msg {
		path, err := source.Export()
		return activityExport{room, path, err}
	})
}

// apart is a command whose panic ends the program in order.
func apart(f func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		return f()
	}
}

// logAnswered takes an answer of the source. One for a view that was closed
// meanwhile is dropped.
func (m *Model) logAnswered(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case activityPage:
		if msg.room == m.activity {
			cmd = m.logged(m.activity.Loaded(msg.page, msg.err))
		}
	case activityRecord:
		if msg.room == m.activity {
			m.activity.Recorded(msg.seq, msg.lines, msg.err)
		}
	case activityChain:
		if msg.room == m.activity {
			m.activity.Verified(msg.chain)
		}
	case activityExport:
		m.exported(msg)
	default:
		return nil, false
	}
	m.dirty = true
	return cmd, true
}

func (m *Model) exported(msg activityExport) {
	switch {
	case msg.room != nil && msg.room == m.activity:
		msg.room.Exported(msg.path, msg.err)
	case msg.err != nil:
		m.note = &event.Notice{Severity: "error", Text: "the evidence was not exported: " + msg.err.Error()}
	default:
		m.note = &event.Notice{Severity: "info", Text: "signed evidence is in " + msg.path, Hint: "tera-pilot audit verify checks it, here or elsewhere"}
	}
}

// logGrew loads what came into the log while the view is open.
func (m *Model) logGrew(events []event.Event) tea.Cmd {
	if m.activity == nil {
		return nil
	}
	for _, e := range events {
		if _, ok := e.Body.(event.AuditHead); ok {
			return m.logged(m.activity.Grown())
		}
	}
	return nil
}
