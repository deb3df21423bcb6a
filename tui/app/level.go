package app

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

// rank puts the autonomy levels in order, from strict to loose; 0 for none.
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
		m.warn("no such level: "+to, "always_ask, new_files_only, never_ask")
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

// unasked says what a level does without a question.
func unasked(level string) []string {
	out := []string{"files and folders that are not there yet are created"}
	if level == "never_ask" {
		out = append(out, "files are changed, renamed and deleted", "commands run in the sandbox", "git writes the repository")
	}
	return out
}
