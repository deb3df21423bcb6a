package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// apply folds events into the state and follows the open question.
func (m *Model) apply(events []event.Event) tea.Cmd {
	busy, asked := m.state.Busy, m.state.Question != nil
	for _, e := range events {
		m.state.Apply(e)
	}
	m.composer.Remember(m.state.Talk.Said)
	if m.state.Session.Opened {
		m.start = nil
	}
	q := m.state.Question
	switch {
	case q == nil && m.ask != nil && m.ask.Revising() && m.state.Talk.Held(m.ask.Question().Call):
		// Another version of it is on its way.
	case q == nil && m.ask != nil:
		m.drop()
	case q != nil && m.ask != nil && m.ask.Question().ID != q.ID && m.ask.Revising() && m.ask.Question().Call == q.Call:
		m.ask = m.ask.Next(*q, m.o.Now())
	case q != nil && (m.ask == nil || m.ask.Question().ID != q.ID):
		if m.ask != nil {
			m.drop()
		}
		m.ask, m.later, m.answered = ask.New(*q, m.o.By), false, time.Time{}
	}
	switch {
	case m.state.Question != nil && !asked:
		return m.notify(tty.Asks)
	case busy && !m.state.Busy:
		return tea.Batch(m.notify(tty.Done), m.lookAtBranch())
	}
	return nil
}

// elsewhere says that the person does not look here: the terminal said so, or
// it never says and nothing was typed for a while.
func (m *Model) elsewhere(now time.Time) bool {
	if m.focusTold {
		return m.away
	}
	return now.Sub(m.input) >= 10*time.Second
}

// notify tells a person who looks elsewhere that something happened.
func (m *Model) notify(n tty.Notice) tea.Cmd {
	if m.o.Notify == nil || !m.elsewhere(m.o.Now()) {
		return nil
	}
	tell := m.o.Notify
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		if err := tell(n); err != nil {
			return did{"notification", err}
		}
		return nil
	}
}

// drop ends the room of the question that was closed. Its screen goes: what is
// typed from now on is no answer to anything.
func (m *Model) drop() {
	now := m.o.Now()
	m.composer.Insert(m.ask.Disturb(now))
	if m.answered.IsZero() {
		m.composer.Insert(m.ask.Draft()) // nothing that was written and not sent is lost
	}
	m.ask = nil
	m.disturb(now)
}

// asking is the question that has the focus, nil when none has.
func (m *Model) asking() *ask.Room {
	switch {
	case m.own != nil:
		return m.own
	case m.ask != nil && m.ask.Focused():
		return m.ask
	default:
		return nil
	}
}

// reask is how long after an answer a question that is still open is put
// again: the core did not take the answer.
const reask = 3 * time.Second

// mayFocus says that the open question takes the focus by itself at a time.
func (m *Model) mayFocus() (at time.Time, ok bool) {
	if m.ask == nil || m.ask.Focused() || m.own != nil || m.later || m.writing() || !m.composer.Empty() {
		return time.Time{}, false
	}
	at = m.input.Add(arm.Focus)
	if !m.answered.IsZero() && m.answered.Add(reask).After(at) {
		at = m.answered.Add(reask)
	}
	return at, true
}

// writing says that something is being written besides the message: a search, a
// name. It is as good a reason to wait.
func (m *Model) writing() bool {
	if p, ok := m.panel.(interface{ writing() bool }); ok && p.writing() {
		return true
	}
	return m.finding && !m.find.Empty() || m.activity != nil && m.activity.Searched()
}

// focus gives the open question the focus. What lies open stays beneath it.
func (m *Model) focus(now time.Time) { m.focusBy(now, (*ask.Room).Focus) }

// focusItself gives it the focus because it was quiet: over a list, whose keys
// are letters too, it arms later.
func (m *Model) focusItself(now time.Time) {
	if m.panel != nil || m.activity != nil || m.transcript.Reading() {
		m.focusBy(now, (*ask.Room).Over)
		return
	}
	m.focus(now)
}

func (m *Model) focusBy(now time.Time, how func(*ask.Room, time.Time)) {
	if m.ask == nil || m.own != nil {
		return
	}
	if !m.answered.IsZero() {
		m.note = &event.Notice{Severity: "warn", Text: "the answer was not taken: the question is still open"}
	}
	m.later, m.answered = false, time.Time{}
	how(m.ask, now)
}

// outcome does what a question's key came to.
func (m *Model) outcome(r *ask.Room, o ask.Outcome, now time.Time) {
	m.typed(r, o.Typed)
	if o.Later {
		m.blur(r)
		m.later = true
	}
	if o.Edit != nil && r == m.ask {
		m.after = m.editProposal(r, *o.Edit)
	}
	if o.Command == nil {
		return
	}
	if r == m.own {
		m.after = m.ownAnswer(o.Command)
		m.own = nil
	} else if _, ok := o.Command.(event.Revise); ok {
		m.o.Send(o.Command)
	} else {
		m.o.Send(o.Command)
		m.ask.Blur()
		m.answered = now
	}
	m.dirty = true
}

// typed gives what was typed into a question to the composer, which then has
// the focus.
func (m *Model) typed(r *ask.Room, text string) {
	if text == "" {
		return
	}
	m.composer.Insert(text)
	m.blur(r)
	m.dirty = true
}

// blur takes the focus from a question. One of our own is closed by that.
func (m *Model) blur(r *ask.Room) {
	if r == m.own {
		m.own = nil
		return
	}
	r.Blur()
}

// levels are the autonomy levels, from strict to loose.
func rank(level string) int {
	switch level {
	case "always_ask":
		return 1
	case "new_files_only":
		return 2
	case "never_ask":
		return 3
	default:
		return 0
	}
}

// setLevel lowers at once. Raising is a question of our own, with a code.
func (m *Model) setLevel(to string, now time.Time) {
	from := m.state.Terms.Level
	switch {
	case rank(to) == 0:
		m.note = &event.Notice{Severity: "warn", Text: "no such level: " + to, Hint: "always_ask, new_files_only, never_ask"}
		return
	case rank(to) <= rank(from):
		m.o.Send(event.SetLevel{Level: to})
		return
	}
	lines := []string{"from      " + from, "! to        " + to, ""}
	for _, text := range unasked(to) {
		lines = append(lines, "! unasked   "+text)
	}
	lines = append(lines, "ends      with /level "+from+", and with this program")
	m.sure("raise the level", lines, now, func() tea.Cmd { m.o.Send(event.SetLevel{Level: to}); return nil })
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

// unasked says what a level does without a question.
func unasked(level string) []string {
	out := []string{"files and folders that are not there yet are created"}
	if level == "never_ask" {
		out = append(out, "files are changed, renamed and deleted", "commands run in the sandbox", "git writes the repository")
	}
	return out
}

// ownAnswer is the answer to our own question.
func (m *Model) ownAnswer(c event.Command) tea.Cmd {
	q := m.own.Question()
	if a, ok := c.(event.Answer); ok && a.Choice == event.Once && a.Code == q.Code {
		return m.ownYes()
	}
	return nil
}
