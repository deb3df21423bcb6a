package app

import (
	"context"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A find is a search in the conversation.
type find struct {
	line *composer.Room     // what is looked for, while it is written; nil else
	stop context.CancelFunc // of the search of the log that began last; nil before the first
}

// on says that the line is being written.
func (f *find) on() bool { return f.line != nil }

// startFind begins a search in the conversation.
func (m *Model) startFind() {
	if m.read() {
		m.find.line = &composer.Room{OneLine: true}
	}
}

// findKey handles a key of the search line.
func (m *Model) findKey(name string, k uv.Key) tea.Cmd {
	switch line := m.find.line; name {
	case "esc":
		m.find.line = nil
		m.transcript.Find("")
	case "enter":
		m.find.line = nil
		return m.goTo(line.Text())
	default:
		line.Press(k)
	}
	return nil
}

// goTo searches, backwards from where the person reads.
func (m *Model) goTo(text string) tea.Cmd {
	if !m.read() {
		return nil
	}
	m.transcript.Find(text)
	return m.seek(0)
}

// seek goes to the next entry that holds what is looked for. What is in memory is
// looked at here, what rests in the log apart.
func (m *Model) seek(step int) tea.Cmd {
	if m.find.stop != nil {
		m.find.stop()
	}
	hit, before := m.transcript.Seek(m.state.Talk.Items, step)
	if len(before) == 0 {
		m.show(hit)
		return nil
	}
	var rested []snap.Rested
	for _, i := range before {
		r, _ := m.state.Talk.Rested(i)
		rested = append(rested, r)
	}
	m.say("searching what was said before ...")
	text, recall := m.transcript.Sought(), m.o.Recall
	ctx, stop := context.WithCancel(m.ctx)
	m.find.stop = stop
	return apart(func() (sought, error) { return firstThat(ctx, rested, text, recall) }, func(m *Model, found sought, err error) tea.Cmd {
		over := ctx.Err() != nil // another one is wanted
		stop()
		switch {
		case over || !m.transcript.Reading():
		case err != nil:
			m.forgotten(err)
		case found.says != nil:
			m.state.Talk.Wake(found.of, found.says)
			m.show(found.of.Index)
		default:
			m.show(hit)
		}
		return nil
	})
}

// sought is an entry that a search found in the log, and what it says; the zero
// sought is none.
type sought struct {
	of   snap.Rested
	says *snap.Told
}

// firstThat is the first entry of those at rest that holds a text.
func firstThat(ctx context.Context, rested []snap.Rested, text string, recall func([]uint64) ([]event.Event, error)) (sought, error) {
	for _, r := range rested {
		if ctx.Err() != nil {
			return sought{}, ctx.Err()
		}
		says, err := tell([]snap.Rested{r}, recall)
		if err != nil {
			return sought{}, err
		}
		if transcript.Holds(says[0], text) {
			return sought{r, says[0]}, nil
		}
	}
	return sought{}, nil
}

// show chooses what was found.
func (m *Model) show(hit int) {
	m.note = nil
	switch text := m.transcript.Sought(); {
	case hit >= 0:
		m.transcript.Show(m.state.Talk.Items, hit)
	case text != "":
		m.warn("not found: "+text, "")
	}
}
