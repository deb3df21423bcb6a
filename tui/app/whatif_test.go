package app

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestWhatIf: a rule that was written in the editor is tried on the log, and
// nothing else comes of it; a draft without a rule tries nothing.
func TestWhatIf(t *testing.T) {
	for rule, tried := range map[string]bool{"[[rule]]\ncmd = \"go test\"\n": true, ruleDraft: false, "# only a comment\n\n": false, "": false} {
		now, asked, told := time.Now(), "", 0
		m := New(t.Context(), Options{
			Send: func(event.Command) { told++ }, Now: func() time.Time { return now }, Read: func() time.Time { return now }, Code: func() string { return "dfgh" },
			Desk: Desk{WhatIf: func(rule string) (string, error) { asked = rule; return "1 would change", nil }},
		})
		if cmd := m.tryRule(rule); cmd != nil {
			cmd().(answer)(m)
		}
		shown, ok := m.panel.(*text)
		if ok != tried || told > 0 || tried && (asked != rule || !strings.Contains(shown.source, "1 would change")) {
			t.Errorf("%q: asked %q, shown %v, %d commands", rule, asked, shown, told)
		}
		if !tried && !strings.Contains(m.note.Text, "nothing is tried") {
			t.Errorf("%q: nothing is said: %+v", rule, m.note)
		}
	}
}
