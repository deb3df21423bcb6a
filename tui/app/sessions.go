package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
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

func (p *sessions) set(m *Model, rows []snap.SessionRow, _ error) tea.Cmd {
	p.rows = tree(rows)
	p.show(m)
	return nil
}

// show makes the list of what is known.
func (p *sessions) show(m *Model) {
	p.room.Empty = safe.Lit("no session is stored yet")
	now := m.o.Now()
	out := make([]picker.Row, len(p.rows))
	for i, s := range p.rows {
		out[i] = p.row(m, s, p.lead(i), now)
	}
	p.room.Facts = count(len(p.rows), safe.Lit(" session"), safe.Lit(" sessions"))
	if p.looking {
		p.room.Facts = safe.Join(safe.Lit("looking into them ...   "), p.room.Facts)
	}
	p.room.Set(out)
}

// Bounds of the search in what sessions hold: a word of two letters is in most.
const (
	leastSearch = 3
	searchRest  = 250 * time.Millisecond
)

// search looks into the sessions once what is searched for has rested.
func (p *sessions) search(m *Model) tea.Cmd {
	text := strings.TrimSpace(p.room.Find())
	if m.o.Desk.Search == nil || len(text) < leastSearch || text == p.looked {
		return nil
	}
	return tea.Tick(searchRest, func(time.Time) tea.Msg {
		return answer(func(m *Model) tea.Cmd { return p.rested(m, text) })
	})
}

// rested begins the search, unless another one is wanted meanwhile, or runs:
// what is wanted then is looked for after it.
func (p *sessions) rested(m *Model, text string) tea.Cmd {
	if m.panel != p || p.looking || text != strings.TrimSpace(p.room.Find()) || text == p.looked {
		return nil
	}
	p.looking, p.looked = true, text
	p.show(m)
	look := m.o.Desk.Search
	return query(text, func() ([]snap.SessionHit, error) { return look(text) }, still(p, func(m *Model, hits []snap.SessionHit, _ error) tea.Cmd {
		return p.hit(m, text, hits)
	}))
}

// hit takes what a search found.
func (p *sessions) hit(m *Model, text string, hits []snap.SessionHit) tea.Cmd {
	p.looking = false
	if text == p.looked {
		p.hits = map[string]snap.SessionHit{}
		for _, h := range hits {
			p.hits[h.ID] = h
		}
	}
	p.show(m)
	return p.search(m)
}

func (p *sessions) row(m *Model, s snap.SessionRow, lead safe.Text, now time.Time) picker.Row {
	title := s.Title
	if title == "" {
		title = s.ID
	}
	row := picker.Row{ID: s.ID, Lead: lead, Title: safe.Strict(title), More: s.ID + " " + s.Root + " " + s.Problem, Cells: []safe.Text{
		safe.Strict(when(s.Updated, now)), count(s.Turns, safe.Lit(" turn"), safe.Lit(" turns")), some(s.Files, safe.Lit(" file"), safe.Lit(" files")),
	}, About: []safe.Text{safe.Join(safe.Strict(s.ID), safe.Lit("  in "), safe.Strict(s.Root))}}
	switch {
	case s.ID == m.state.Session.ID:
		row.Right = safe.Lit("this one")
	case s.Running:
		row.Right = safe.Lit("open elsewhere")
	case s.Archived:
		row.Right = safe.Lit("archived")
	}
	switch {
	case s.Problem != "":
		row.Note = safe.Strict(s.Problem)
	case s.Gone:
		row.Note = safe.Lit("its folder is not there any more")
	case elsewhere(m, s) && row.Right.Empty():
		row.Right = safe.Join(safe.Lit("in "), safe.Strict(s.Root[strings.LastIndexByte(s.Root, '/')+1:]))
	}
	if h, ok := p.hits[s.ID]; ok {
		row.Hit = strings.ToLower(p.looked)
		line := safe.Join(safe.Lit("turn "), safe.Int(h.Turn), safe.Lit("  "), safe.Strict(h.Who), safe.Lit(": "), safe.Strict(strings.TrimSpace(h.Line)))
		if row.Note.Empty() {
			row.Cells = []safe.Text{line}
		}
		if h.More > 0 {
			line = safe.Join(line, safe.Lit("   and "), count(h.More, safe.Lit(" line more"), safe.Lit(" lines more")))
		}
		row.About = append(row.About, line)
	}
	return row
}

// elsewhere says that a session belongs to another folder than this one.
func elsewhere(m *Model, s snap.SessionRow) bool {
	return s.Root != "" && s.Root != m.state.Session.Root && m.state.Session.Root != ""
}

// there is the folder to go to for a session; "" for this one.
func there(m *Model, s snap.SessionRow) string {
	if elsewhere(m, s) {
		return s.Root
	}
	return ""
}

// when is a time as people say it.
func when(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.IsZero() || t.Year() < 1990:
		return ""
	case t.Format("20060102") == now.Format("20060102"):
		return t.Format("today 15:04")
	case now.Sub(t) < 300*24*time.Hour && t.Before(now):
		return t.Format("Jan _2 15:04")
	default:
		return t.Format("2006-01-02")
	}
}

// tree puts forks behind their parents; what was used last comes first, what is
// archived last.
func tree(rows []snap.SessionRow) []snap.SessionRow {
	known, children := map[string]bool{}, map[string][]snap.SessionRow{}
	for _, s := range rows {
		known[s.ID] = true
	}
	var top []snap.SessionRow
	for _, s := range rows {
		if s.Parent != "" && known[s.Parent] && s.Parent != s.ID {
			children[s.Parent] = append(children[s.Parent], s)
		} else {
			top = append(top, s)
		}
	}
	slices.SortStableFunc(top, func(a, b snap.SessionRow) int {
		switch {
		case a.Archived != b.Archived && a.Archived:
			return 1
		case a.Archived != b.Archived:
			return -1
		default:
			return b.Updated.Compare(a.Updated)
		}
	})
	var out []snap.SessionRow
	placed := map[string]bool{}
	var place func(s snap.SessionRow)
	place = func(s snap.SessionRow) {
		if placed[s.ID] {
			return
		}
		placed[s.ID] = true
		out = append(out, s)
		for _, c := range children[s.ID] {
			place(c)
		}
	}
	for _, s := range append(top, rows...) { // rows: a ring of forks has no top
		place(s)
	}
	return out
}

// lead is the tree before row i.
func (p *sessions) lead(i int) safe.Text {
	s := p.rows[i]
	if s.Parent == "" || i == 0 {
		return safe.Text{}
	}
	depth := 0
	for at, steps := s, 0; at.Parent != "" && steps < 8; steps++ {
		j := slices.IndexFunc(p.rows, func(x snap.SessionRow) bool { return x.ID == at.Parent })
		if j < 0 {
			break
		}
		depth, at = depth+1, p.rows[j]
	}
	if depth == 0 {
		return safe.Text{}
	}
	last := !slices.ContainsFunc(p.rows[i+1:], func(x snap.SessionRow) bool { return x.Parent == s.Parent })
	branch := safe.Lit("|- ")
	if last {
		branch = safe.Lit("'- ")
	}
	lead := safe.Join(safe.Repeat(safe.Lit("   "), depth-1), branch)
	if s.Turn > 0 {
		lead = safe.Join(lead, safe.Lit("turn "), safe.Int(s.Turn), safe.Lit("  "))
	}
	return lead
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

func label(s snap.SessionRow) string {
	if s.Title != "" {
		return s.Title
	}
	return s.ID
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
		ask.Edit(p.naming, k)
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
