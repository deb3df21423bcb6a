package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// sessions is the tree of stored sessions: forks stand beneath what they were
// forked from.
type sessions struct {
	list
	rows   []snap.SessionRow
	naming *composer.Room // a new name for the chosen one

	looked  string // what was looked for in the sessions last
	looking bool   // that is under way
	hits    map[string]snap.SessionHit
}

func newSessions() *sessions {
	lit := safe.Lit
	return &sessions{list: list{picker.Room{
		Title: lit("sessions"), Empty: lit("looking ..."),
		Foot: []picker.Hint{
			hint(lit("enter"), lit("open")), hint(lit("f"), lit("fork")), hint(lit("n"), lit("name")), hint(lit("z"), lit("archive")),
			hint(lit("del"), lit("delete (asks)")), picker.Hint{Press: lit("+"), Does: lit("new"), Free: true}, hint(lit("/"), lit("find")), hint(lit("esc"), lit("back")),
		},
	}}}
}

// load looks at what is stored.
func (p *sessions) load(m *Model) tea.Cmd {
	if m.o.Desk.Sessions == nil {
		p.room.Empty = safe.Lit("there are no stored sessions here")
		return nil
	}
	return query("sessions", m.o.Desk.Sessions, still(p, p.set))
}

// did says what was done to a stored session, and looks again where they are
// shown.
func did(what string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.say(what)
		if p, ok := m.panel.(*sessions); ok {
			return p.load(m)
		}
		return nil
	}
}

func (p *sessions) view(m *Model, w, h int, _ time.Time) ([]view.Line, *view.Cell) {
	lines, caret := p.room.View(w, h, m.widths)
	if p.naming == nil || len(lines) < 2 {
		return lines, caret
	}
	label := view.Lit(theme.Title, safe.Lit("new name "))
	box, at := p.naming.View(w-m.widths.Line(label), 1, 1, m.widths)
	at.X += m.widths.Line(label)
	at.Y = len(lines) - 1
	lines[len(lines)-1] = view.Join(label, box[0])
	return lines, &at
}

func (p *sessions) writing() bool { return p.naming != nil || p.list.writing() }

func (p *sessions) paste(m *Model, text string) tea.Cmd {
	if p.naming != nil {
		p.naming.Paste(text)
	} else {
		p.room.Paste(text)
	}
	return p.search(m)
}

func (p *sessions) key(m *Model, name string, k uv.Key, now time.Time) (tea.Cmd, bool) {
	if p.naming != nil {
		return p.nameKey(m, name, k), true
	}
	if p.room.Key(name, k) {
		return p.search(m), true
	}
	if name == "+" || k.Text == "+" {
		return m.leave(requestNew()), true
	}
	i := p.chosen()
	if i < 0 {
		return nil, false
	}
	s := p.rows[i]
	switch {
	case name == "enter":
		return p.enter(m, s), true
	case name == "f":
		return p.fork(m, s), true
	case name == "n":
		p.naming = &composer.Room{OneLine: true}
		p.naming.Insert(s.Title)
	case name == "z" && s.ID == m.state.Session.ID:
		m.warn("this session is open: it can be archived from another one", "")
	case name == "z" && m.o.Desk.Archive != nil:
		word := "archived"
		if s.Archived {
			word = "back from the archive"
		}
		archive := m.o.Desk.Archive
		return act(func() error { return archive(s.ID, !s.Archived) }, did(word+": "+label(s))), true
	case (name == "delete" || name == "d" || name == "backspace") && m.o.Desk.Delete != nil:
		p.remove(m, s, now)
	default:
		return nil, false
	}
	return nil, true
}

func (p *sessions) chosen() int {
	row := p.room.Chosen()
	if row == nil {
		return -1
	}
	return slices.IndexFunc(p.rows, func(s snap.SessionRow) bool { return s.ID == row.ID })
}

func (p *sessions) enter(m *Model, s snap.SessionRow) tea.Cmd {
	if !p.mayOpen(m, s) {
		return nil
	}
	if s.ID == m.state.Session.ID {
		m.open(nil)
		return nil
	}
	return m.leave(snap.Request{Open: s.ID, Root: there(m, s)})
}

// mayOpen says why a session cannot be gone on with from here.
func (p *sessions) mayOpen(m *Model, s snap.SessionRow) bool {
	row := p.room.Chosen()
	switch {
	case s.Running && s.ID != m.state.Session.ID:
		m.warn("another tera-pilot has this session open", "close it there first")
	case row != nil && !row.Note.Empty():
		m.warn(row.Title.String()+": "+row.Note.String(), "tera-pilot sessions show "+s.ID)
	default:
		return true
	}
	return false
}

func (p *sessions) fork(m *Model, s snap.SessionRow) tea.Cmd {
	switch {
	case !m.o.Desk.Fork:
		m.warn("sessions cannot be forked here", "")
	case p.mayOpen(m, s):
		return m.leave(snap.Request{Fork: s.ID, Root: there(m, s)})
	}
	return nil
}

// forkHere goes on from the end of the turn of the chosen entry.
func (m *Model) forkHere() tea.Cmd {
	it := m.transcript.Chosen()
	if !m.o.Desk.Fork || it == nil || it.Turn == 0 {
		m.warn("there is no turn to fork from here", "")
		return nil
	}
	return m.leave(snap.Request{Fork: m.state.Session.ID, Turn: it.Turn})
}

func (p *sessions) nameKey(m *Model, name string, k uv.Key) tea.Cmd {
	switch name {
	case "esc":
		p.naming = nil
	case "enter":
		title, i := strings.TrimSpace(p.naming.Text()), p.chosen()
		p.naming = nil
		if i < 0 || title == "" {
			return nil
		}
		return p.rename(m, p.rows[i], title)
	default:
		p.naming.Press(k)
	}
	return nil
}

func (p *sessions) rename(m *Model, s snap.SessionRow, title string) tea.Cmd {
	switch {
	case s.ID == m.state.Session.ID:
		return m.slash("/rename", title, m.o.Now())
	case m.o.Desk.Rename == nil:
		m.warn("stored sessions cannot be named here", "tera-pilot sessions name "+s.ID+" TEXT")
		return nil
	}
	rename := m.o.Desk.Rename
	return act(func() error { return rename(s.ID, title) }, did("named: "+title))
}

func (p *sessions) remove(m *Model, s snap.SessionRow, now time.Time) {
	if s.ID == m.state.Session.ID || s.Running {
		m.warn("a session that is open cannot be deleted", "leave it first")
		return
	}
	m.sure("delete a session", []string{
		"session   " + s.ID, "title     " + label(s), fmt.Sprintf("holds     %d turns, %d changed files", s.Turns, s.Files),
		"goes      the conversation and what is kept to take its changes back",
		"stays     the files it changed, and the signed log of what it did",
	}, now, func() tea.Cmd {
		return act(func() error { return m.o.Desk.Delete(s.ID) }, did("deleted: "+label(s)))
	})
}

// leave ends the terminal with a request to who started it.
func (m *Model) leave(r snap.Request) tea.Cmd {
	if m.o.Desk.Sessions == nil {
		m.warn("this session stands alone: there is no other to go to", "")
		return nil
	}
	if m.state.Busy {
		m.warn("a turn runs here", "esc in the conversation stops it; then leave")
		return nil
	}
	m.end.request = r
	return tea.Quit
}

func requestNew() snap.Request { return snap.Request{New: true} }
