package app

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/room/transcript"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A memory is what goes on between the conversation and the session's log, which
// keeps what is neither near the end nor being read.
type memory struct {
	asked  bool               // the log was asked and has not answered
	failed bool               // it could not be read; until the next key
	search int                // counts the searches, so that the answer of an old one is dropped
	end    context.CancelFunc // of the last search; nil before the first
}

type (
	// recalled is what the log says of entries.
	recalled struct {
		of   []snap.Rested
		says []*snap.Told
		err  error
	}
	// sought is the entry that a search found in the log.
	sought struct {
		search int
		of     snap.Rested // the zero Rested for none
		says   *snap.Told
		other  int // the hit among what is in memory; below 0 for none
		err    error
	}
)

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
	return apart(func() tea.Msg {
		says, err := tell(want, recall)
		return recalled{want, says, err}
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
func (m *Model) wake(msg recalled) {
	m.memory.asked = false
	if msg.err != nil {
		m.forgotten(msg.err)
		return
	}
	for i, r := range msg.of {
		m.state.Talk.Wake(r, msg.says[i])
	}
}

func (m *Model) forgotten(err error) {
	m.memory.failed = true
	m.warn(fmt.Sprintf("what was said before cannot be read from the session's log: %v", err), "the session goes on; tera-pilot sessions show reads it apart")
}

// seek goes to the next entry that holds what is looked for. What is in memory is
// looked at here, what rests in the log apart.
func (m *Model) seek(step int) tea.Cmd {
	m.memory.search++
	if m.memory.end != nil {
		m.memory.end()
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
	search, text, recall := m.memory.search, m.transcript.Sought(), m.o.Recall
	ctx, end := context.WithCancel(context.Background())
	m.memory.end = end
	return apart(func() tea.Msg {
		defer end()
		msg := sought{search: search, other: hit}
		msg.of, msg.says, msg.err = firstThat(ctx, rested, text, recall)
		return msg
	})
}

// firstThat is the first entry of those at rest that holds a text.
func firstThat(ctx context.Context, rested []snap.Rested, text string, recall func([]uint64) ([]event.Event, error)) (snap.Rested, *snap.Told, error) {
	for _, r := range rested {
		if ctx.Err() != nil {
			return snap.Rested{}, nil, ctx.Err() // another search is wanted
		}
		says, err := tell([]snap.Rested{r}, recall)
		if err != nil {
			return snap.Rested{}, nil, err
		}
		if transcript.Holds(says[0], text) {
			return r, says[0], nil
		}
	}
	return snap.Rested{}, nil, nil
}

// foundIn goes where a search in the log led, if it is the last one and still
// wanted.
func (m *Model) foundIn(msg sought) {
	switch {
	case msg.search != m.memory.search || !m.transcript.Reading():
	case msg.err != nil:
		m.forgotten(msg.err)
	case msg.says != nil:
		m.state.Talk.Wake(msg.of, msg.says)
		m.show(msg.of.Index)
	default:
		m.show(msg.other)
	}
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
