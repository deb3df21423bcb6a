package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// ruleDraft is what the editor begins with: it tries nothing as it stands.
const ruleDraft = `# A rule that you think of, as it would stand in policy.toml. Save and leave the
# editor to see which decisions of the log it would have changed; nothing is run,
# and no rule is changed. An empty file tries nothing.
#
# [[rule]]
# cmd = "go test ./..."
# act = "allow"
`

// whatIf lets the person write a rule, and shows what it would have done.
func (m *Model) whatIf() tea.Cmd {
	return m.toEditor("what-if.toml", ruleDraft, func(m *Model, rule string, _ time.Time) tea.Cmd { return m.tryRule(rule) })
}

// tryRule replays the log with the rule that was written, unless none was.
func (m *Model) tryRule(rule string) tea.Cmd {
	said := false
	for line := range strings.Lines(rule) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			said = true
		}
	}
	if !said {
		m.say("no rule was written: nothing is tried")
		return nil
	}
	m.say("looking through the log ...")
	try := m.o.Desk.WhatIf
	return query("what the rule would have done", func() (string, error) { return try(rule) }, func(m *Model, report string, err error) tea.Cmd {
		if err == nil && m.openLate(newText(safe.Lit("what the rule would have done"), report)) {
			m.note = nil
		}
		return nil
	})
}
