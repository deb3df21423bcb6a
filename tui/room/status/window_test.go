package status

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// TestWindowSaysWhatIsTrue: a window in plan mode loosens nothing.
func TestWindowSaysWhatIsTrue(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct{ level, window, says string }{
		{"always_ask", "trust", "less is asked"}, {"always_ask", "unsafe", "much less is asked"}, {"plan", "trust", "all but reads is denied"}, {"plan", "unsafe", "all but reads is denied"},
	} {
		text := plain(Window(snap.Terms{Level: tt.level, Window: snap.Window{Mode: tt.window, Until: now.Add(time.Minute)}}, 120, view.Widths(false), now, false))
		if !strings.Contains(text, tt.says) || tt.level == "plan" && strings.Contains(text, "asked") {
			t.Errorf("%s in %s: %q", tt.window, tt.level, text)
		}
	}
}
