package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// TestExportCannotBeBrokenOutOf: hostile text stays within its fence, and a
// secret does not leave.
func TestExportCannotBeBrokenOutOf(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("abcdEFGH12", 9)
	hostile := "```\n# Owned\n````\n<script>x</script>\x1b[2J\u202e" + key
	events := []event.Event{
		{Seq: 1, Time: time.Now(), Session: "s", Body: event.TurnStarted{Turn: 1, Text: hostile}},
		{Seq: 2, Time: time.Now(), Session: "s", Body: event.Reply{Text: hostile}},
		{Seq: 3, Time: time.Now(), Session: "s", Body: event.CallResult{Tool: "x` **b** [l](u)", Status: "ok\n# Owned", Title: hostile, Body: hostile}},
		{Seq: 4, Time: time.Now(), Session: "s", Body: event.TurnEnded{Turn: 1, Message: hostile}},
	}
	w := markdown{mask: secret.New()}
	w.session("s", events)
	doc := w.String()
	fence := ""
	for l := range strings.SplitSeq(doc, "\n") {
		ticks := strings.TrimSuffix(l, "text")
		isTicks := len(ticks) > 2 && strings.Trim(ticks, "`") == ""
		switch {
		case fence == "" && isTicks:
			fence = ticks
		case fence != "" && l == fence:
			fence = ""
		case fence == "" && (strings.Contains(l, "# Owned") || strings.Contains(l, "script") || strings.Contains(l, "[l]")):
			t.Errorf("outside of a fence: %q", l)
		}
	}
	if fence != "" || strings.Contains(doc, key) || strings.Contains(doc, "\x1b") || strings.Contains(doc, "\u202e") {
		t.Errorf("%q", doc)
	}
	var out strings.Builder
	if err := exportJSON(&out, "s", events, secret.New()); err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(out.String())) || strings.Contains(out.String(), key) {
		t.Errorf("%s", out.String())
	}
}
