package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// questions are those that are open: one of the session's at a time, and one of
// our own above it.
type questions struct {
	open     *ask.Room // the session's; nil for none
	later    bool      // the person does not want to see it now
	answered time.Time // when it was answered; zero when it was not
	wanted   time.Time // when a key asked for the one that is to come; zero when none did

	own *ask.Room      // whether the person means it; nil for none
	yes func() tea.Cmd // what a yes to it does
}

// rooms are the open questions.
func (q *questions) rooms() []*ask.Room {
	return slices.DeleteFunc([]*ask.Room{q.open, q.own}, func(r *ask.Room) bool { return r == nil })
}

// focused is the question that has the focus, nil when none has.
func (q *questions) focused() *ask.Room {
	switch {
	case q.own != nil:
		return q.own
	case q.open != nil && q.open.Focused():
		return q.open
	default:
		return nil
	}
}

// reask is how long after an answer a question that is still open is put
// again: the core did not take the answer.
const reask = 3 * time.Second

// from is when the open question takes the focus by itself, at the earliest;
// false when it does not. acted is when the person did something last.
func (q *questions) from(acted time.Time) (at time.Time, ok bool) {
	if q.open == nil || q.open.Focused() || q.own != nil || q.later {
		return time.Time{}, false
	}
	at = acted.Add(arm.Focus)
	if again := q.answered.Add(reask); !q.answered.IsZero() && again.After(at) {
		at = again
	}
	return at, true
}

// wantedFor is how long the question that the person asked for by a key of a
// list takes the focus at once.
const wantedFor = 5 * time.Second

// expected says that a question is the one that the person asked for.
func (q *questions) expected(x event.Question, now time.Time) bool {
	is := !q.wanted.IsZero() && now.Sub(q.wanted) < wantedFor && x.Tool == "undo"
	if is {
		q.wanted = time.Time{}
	}
	return is
}

// blur takes the focus from a question. One of our own is closed by that.
func (q *questions) blur(r *ask.Room) {
	if r == q.own {
		q.own = nil
		return
	}
	r.Blur()
}

// apply folds events into the state, and tells a person who looks elsewhere.
func (m *Model) apply(events []event.Event) tea.Cmd {
	busy, asked := m.state.Busy, m.state.Question != nil
	for _, e := range events {
		m.state.Apply(e)
	}
	m.composer.Remember(m.state.Talk.Said)
	if m.state.Session.Opened {
		m.start = nil
	}
	m.follow()
	switch {
	case m.state.Question != nil && !asked:
		return m.notify(tty.Asks)
	case busy && !m.state.Busy:
		return tea.Batch(m.notify(tty.Done), m.lookAtBranch())
	}
	return nil
}

// follow has a room for the question that the session has open, and for no other.
func (m *Model) follow() {
	q, r := m.state.Question, m.asks.open
	switch {
	case q == nil && r == nil:
	case q == nil:
		if !r.Revising() || !m.state.Talk.Held(r.Question().Call) { // else another version of it is on its way
			m.drop()
		}
	case r != nil && r.Question().ID == q.ID:
	case r != nil && r.Revising() && r.Question().Call == q.Call:
		m.asks.open = r.Next(*q, m.o.Now())
	default:
		if r != nil {
			m.drop()
		}
		m.asks.open, m.asks.later, m.asks.answered = ask.New(*q, m.o.By), false, time.Time{}
		if now := m.o.Now(); m.asks.expected(*q, now) {
			m.focus(now)
		}
	}
}

// drop ends the room of the question that was closed. Its screen goes: what is
// typed from now on is no answer to anything.
func (m *Model) drop() {
	now := m.o.Now()
	m.composer.Insert(m.asks.open.Disturb(now))
	if m.asks.answered.IsZero() {
		m.composer.Insert(m.asks.open.Draft()) // nothing that was written and not sent is lost
	}
	m.asks.open = nil
	m.disturb(now)
}

// mayFocus says that the open question takes the focus by itself at a time.
func (m *Model) mayFocus() (at time.Time, ok bool) {
	if m.writing() || !m.composer.Empty() {
		return time.Time{}, false
	}
	return m.asks.from(m.person.acted)
}

// writing says that something is being written besides the message: a search, a
// name. It is as good a reason to wait.
func (m *Model) writing() bool {
	return m.panel != nil && m.panel.writing() || m.find.on() && !m.find.line.Empty()
}

// focus gives the open question the focus. What lies open stays beneath it.
func (m *Model) focus(now time.Time) { m.focusBy(now, (*ask.Room).Focus) }

// focusItself gives it the focus because it was quiet: over a list, whose keys
// are letters too, it arms later.
func (m *Model) focusItself(now time.Time) {
	if m.panel != nil || m.transcript.Reading() {
		m.focusBy(now, (*ask.Room).Over)
		return
	}
	m.focus(now)
}

func (m *Model) focusBy(now time.Time, how func(*ask.Room, time.Time)) {
	if m.asks.open == nil || m.asks.own != nil {
		return
	}
	if !m.asks.answered.IsZero() {
		m.warn("the answer was not taken: the question is still open", "")
	}
	m.asks.later, m.asks.answered = false, time.Time{}
	how(m.asks.open, now)
}

// outcome does what a question's key came to.
func (m *Model) outcome(r *ask.Room, o ask.Outcome, now time.Time) (cmd tea.Cmd) {
	m.typed(r, o.Typed)
	if o.Later {
		m.asks.blur(r)
		m.asks.later = true
	}
	if o.Edit != nil && r == m.asks.open {
		cmd = m.editProposal(r, *o.Edit)
	}
	if o.Command == nil {
		return cmd
	}
	m.frame.dirty = true
	if r == m.asks.own {
		return m.ownAnswer(o.Command)
	}
	m.o.Send(o.Command)
	if _, ok := o.Command.(event.Revise); !ok {
		m.asks.open.Blur()
		m.asks.answered = now
	}
	return cmd
}

// typed gives what was typed into a question to the composer, which then has
// the focus.
func (m *Model) typed(r *ask.Room, text string) {
	if text == "" {
		return
	}
	m.composer.Insert(text)
	m.asks.blur(r)
	m.frame.dirty = true
}

// sure asks in a question of our own, with a code, before what cannot be taken
// back; yes is then done.
func (m *Model) sure(title string, lines []string, now time.Time, yes func() tea.Cmd) {
	q := ownQuestion(title, lines, m.o.Code())
	m.asks.own, m.asks.yes = ask.New(q, m.o.By), yes
	m.asks.own.Focus(now)
}

// ownQuestion is a question of our own: lines that begin with ! need attention.
func ownQuestion(title string, lines []string, code string) event.Question {
	q := event.Question{ID: "own", Kind: ask.AskLevel, Title: title, Danger: true, Code: code}
	for _, text := range lines {
		l := event.Line{Kind: event.LineFact, Text: visible.Strict(text)}
		if rest, ok := strings.CutPrefix(text, "! "); ok {
			l = event.Line{Kind: event.LineWarn, Text: visible.Strict(rest)}
		}
		if text == "" {
			l = event.Line{Kind: event.LineBlank}
		}
		q.Lines = append(q.Lines, l)
	}
	q.LinesHash = event.HashLines(q.Lines)
	return q
}

// ownAnswer takes the answer to our own question, and closes it.
func (m *Model) ownAnswer(c event.Command) tea.Cmd {
	q, yes := m.asks.own.Question(), m.asks.yes
	m.asks.own = nil
	if a, ok := c.(event.Answer); ok && a.Choice == event.Once && a.Code == q.Code {
		return yes()
	}
	return nil
}
