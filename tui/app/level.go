package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// setLevel lowers at once. Raising is a question of our own, with a code.
func (m *Model) setLevel(to string, now time.Time) {
	from := m.state.Terms.Level
	switch {
	case snap.Rank(to) == 0:
		m.warn("no such level: "+to, "always_ask, new_files_only, never_ask")
		return
	case snap.Rank(to) <= snap.Rank(from):
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

// unasked says what a level does without a question.
func unasked(level string) []string {
	out := []string{"files and folders that are not there yet are created"}
	if level == "never_ask" {
		out = append(out, "files are changed, renamed and deleted", "commands run in the sandbox", "git writes the repository")
	}
	return out
}
