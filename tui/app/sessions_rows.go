package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/room/picker"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

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

func label(s snap.SessionRow) string {
	if s.Title != "" {
		return s.Title
	}
	return s.ID
}
