package status

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// TestHintsSayWhatIsWritten: a call that the model writes is nothing yet, and
// can take it long.
func TestHintsSayWhatIsWritten(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		bytes int
		want  string
	}{{512, "writing apply_diff 512 bytes 14s"}, {3500, "writing apply_diff 3 KB 14s"}} {
		s := &snap.State{Busy: true, Working: event.Working{On: "model", Since: now.Add(-14 * time.Second), Writes: "apply_diff", Bytes: c.bytes}}
		var text string
		for _, span := range Hints(s, 100, view.Widths(false), now, safe.Lit("ctrl+j")) {
			text += span.Text.String()
		}
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%q", text)
		}
	}
}

// TestHintsSayWhyItTakesLong, and how it is stopped goes last.
func TestHintsSayWhyItTakesLong(t *testing.T) {
	now := time.Now()
	for _, width := range []int{100, 60, 40} {
		s := &snap.State{Busy: true, Working: event.Working{On: "tool", Since: now.Add(-41 * time.Second), Says: "first go command here: it fills a private cache, once"}}
		text := view.Plain(Hints(s, width, view.Widths(false), now, safe.Lit("ctrl+j")))
		if !strings.Contains(text, "esc stops") || width > 40 && !strings.Contains(text, "first go command") {
			t.Errorf("%d: %q", width, text)
		}
	}
}
