package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

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
