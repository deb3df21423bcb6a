package app

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A memory is what goes on between the conversation and the session's log, which
// keeps what is neither near the end nor being read.
type memory struct {
	asked  bool // the log was asked and has not answered
	failed bool // it could not be read; until the next key
}

// remember lets go of what nobody reads, and asks the log for what is about to
// be read.
func (m *Model) remember() tea.Cmd {
	if m.o.Recall == nil {
		return nil
	}
	limit := len(m.state.Talk.Items)
	if m.o.Inline {
		limit = m.inline.printed
	}
	from, to := m.transcript.Near(len(m.state.Talk.Items))
	m.state.Talk.Rest(limit, from, to)
	if m.memory.asked || m.memory.failed {
		return nil
	}
	var want []snap.Rested
	for i := from; i < to; i++ {
		if r, rests := m.state.Talk.Rested(i); rests {
			want = append(want, r)
		}
	}
	if len(want) == 0 {
		return nil
	}
	m.memory.asked = true
	recall := m.o.Recall
	return apart(func() ([]*snap.Told, error) { return tell(want, recall) }, func(m *Model, says []*snap.Told, err error) tea.Cmd {
		m.wake(want, says, err)
		return nil
	})
}

// tell reads what entries say.
func tell(of []snap.Rested, recall func([]uint64) ([]event.Event, error)) ([]*snap.Told, error) {
	says := make([]*snap.Told, len(of))
	for i, r := range of {
		events, err := recall(r.Seqs)
		if err != nil {
			return nil, err
		}
		if says[i] = r.Tell(events); says[i] == nil {
			return nil, fmt.Errorf("events %d do not tell it", r.Seqs)
		}
	}
	return says, nil
}

// wake takes what the log said.
func (m *Model) wake(of []snap.Rested, says []*snap.Told, err error) {
	m.memory.asked = false
	if err != nil {
		m.forgotten(err)
		return
	}
	for i, r := range of {
		m.state.Talk.Wake(r, says[i])
	}
}

func (m *Model) forgotten(err error) {
	m.memory.failed = true
	m.warn(fmt.Sprintf("what was said before cannot be read from the session's log: %v", err), "the session goes on; tera-pilot sessions show reads it apart")
}
