package app

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
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
	return m.toEditor(draft{name: "what-if.toml", text: ruleDraft, rule: true})
}

// tryRule replays the log with the rule that was written, unless none was.
func (m *Model) tryRule(before, rule string) tea.Cmd {
	said := false
	for line := range strings.Lines(rule) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			said = true
		}
	}
	if rule == before || !said {
		m.say("no rule was written: nothing is tried")
		return nil
	}
	m.say("looking through the log ...")
	try := m.o.Desk.WhatIf
	return query(wantWhatIf, func() (whatIfReport, error) {
		text, err := try(rule)
		return whatIfReport(text), err
	})
}

// whatIfReport is what a rule would have done, as text.
type whatIfReport string

// undoAll takes back all that this session changed, after it was asked whether
// that is meant.
func (m *Model) undoAll(now time.Time) {
	files := count(len(m.state.Changed), safe.Lit(" file"), safe.Lit(" files")).String()
	m.sure("take back everything in this session", []string{
		"changed   " + files, "goes      what this session changed in them, newest first",
		"stays     what others changed since; a file in which both cannot be told apart is left as it is, and named",
		"again     ctrl+z, then a, does all of it again",
	}, now, func() tea.Cmd { m.o.Send(event.Undo{All: true}); return nil })
}
