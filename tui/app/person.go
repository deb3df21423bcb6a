package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// A person is what is known of who sits before the terminal.
type person struct {
	acted time.Time // when they did something last
	heard time.Time // of the last bytes that we were told of, whoever sent them
	told  bool      // the terminal tells where they look
	away  bool      // and it is elsewhere

	late  bool      // what they type is still for the screen before this one
	shown time.Time // when this one could be seen first
}

// ahead says that what was typed is for the screen before this one: it came
// before they can have seen this one, or after it without a pause.
func (p *person) ahead(at time.Time) bool {
	since := p.shown
	if p.acted.After(since) {
		since = p.acted
	}
	p.late = p.late && (p.shown.IsZero() || at.Sub(since) < arm.Quiet)
	if p.late {
		p.did(at)
	}
	return p.late
}

// did says that the person did something.
func (p *person) did(at time.Time) { p.acted = at }

// looks says whether the person looks here now.
func (p *person) looks(at time.Time, here bool) {
	p.told, p.away, p.acted = true, !here, at
}

// elsewhere says that the person does not look here: the terminal said so, or
// it never says and nothing was typed for a while.
func (p *person) elsewhere(now time.Time) bool {
	if p.told {
		return p.away
	}
	return now.Sub(p.acted) >= 10*time.Second
}

// notify tells a person who looks elsewhere that something happened.
func (m *Model) notify(n tty.Notice) tea.Cmd {
	if m.o.Notify == nil || !m.person.elsewhere(m.o.Now()) {
		return nil
	}
	tell := m.o.Notify
	return act(func() error { return tell(n) }, nil)
}
