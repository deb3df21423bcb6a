package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/arm"
)

// settle does what time alone brings about, and returns what comes of it, and
// the tick at which to look again. An idle program has none.
func (m *Model) settle(now time.Time) (cmd tea.Cmd) {
	m.composer.Insert(m.banners.typed())
	if at, ok := m.mayFocus(); ok && !now.Before(at) {
		m.focusItself(now)
		m.frame.dirty = true
	}
	var wait time.Duration
	if r := m.asks.focused(); r != nil {
		o, w := r.Due(now, m.o.Read(), m.person.heard)
		cmd, wait = m.outcome(r, o, now), w
	} else {
		cmd, wait = m.bannerDue(now)
		m.stay(now)
	}
	wake := m.nextWake(now)
	if wait > 0 {
		wake = sooner(wake, now.Add(wait))
	}
	if wake.IsZero() || !m.wakeAt.IsZero() && !wake.Before(m.wakeAt) {
		return cmd
	}
	m.wakeAt = wake
	return tea.Batch(cmd, tea.Tick(max(wake.Sub(now), time.Millisecond), func(time.Time) tea.Msg { return tick{wake} }))
}

// stay forgets the first ctrl+c when the time for the second one is over.
func (m *Model) stay(now time.Time) {
	if !m.quitting.IsZero() && !m.quitting.Add(quitWindow).After(now) {
		m.quitting, m.note, m.frame.dirty = time.Time{}, nil, true
	}
}

// sooner is the earlier of two times; the zero time is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// nextWake is when something on the screen changes by itself.
func (m *Model) nextWake(now time.Time) (wake time.Time) {
	if at, ok := m.mayFocus(); ok {
		wake = sooner(wake, at)
	}
	if m.waiting() {
		wake = sooner(wake, m.inline.at)
	}
	if r := m.asks.focused(); r != nil {
		if at, ok := r.ArmedAt(); ok && r.State(now) == arm.Drawn {
			wake = sooner(wake, at)
		}
		if d := r.NextTick(now); d > 0 {
			wake = sooner(wake, now.Add(d))
		}
		return wake
	}
	if q := m.state.Question; q != nil && !q.Deadline.IsZero() {
		switch left := q.Deadline.Sub(now); {
		case left > time.Minute:
			wake = sooner(wake, q.Deadline.Add(-time.Minute))
		case left > 0:
			wake = sooner(wake, now.Add(time.Second))
		}
	}
	if m.state.Terms.Window.Mode != "" && !m.o.Still {
		if left := m.state.Terms.Window.Until.Sub(now); left > 0 {
			wake = sooner(wake, now.Add((left-1)%time.Second+1))
		}
	}
	if m.state.Busy && !m.o.Still {
		// The seconds of what is going on.
		next := now.Add(time.Second)
		if since := m.state.Working.Since; !since.IsZero() && now.After(since) {
			next = now.Add(time.Second - now.Sub(since)%time.Second)
		}
		wake = sooner(wake, next)
	}
	if !m.quitting.IsZero() {
		wake = sooner(wake, m.quitting.Add(quitWindow))
	}
	return wake
}
