package ossandbox

import (
	"testing"
	"time"
)

// TestFirstFillIsTold once, of a command that fills an empty cache and takes its
// time; neither of a quick one, nor when something was there before.
func TestFirstFillIsTold(t *testing.T) {
	b := newBox(t)
	run := func(look time.Duration, script string) (told []string) {
		t.Helper()
		b.look = look
		res, err := b.Run(t.Context(), Command{Script: script, Profile: Work(), OnFill: func(tool string) { told = append(told, tool) }})
		if err != nil || res.ExitCode != 0 {
			t.Fatalf("%s: %+v, %v", script, res, err)
		}
		return told
	}
	if told := run(time.Hour, `mkdir -p "$npm_config_cache"; echo x > "$npm_config_cache/x"`); len(told) != 0 {
		t.Errorf("one that ends before the first look: %q", told)
	}
	if told := run(10*time.Millisecond, `mkdir -p "$GOCACHE"; echo x > "$GOCACHE/x"; sleep 1`); len(told) != 1 || told[0] != "go" {
		t.Errorf("the first: %q", told)
	}
	if told := run(10*time.Millisecond, `echo y > "$GOCACHE/y"; echo y > "$npm_config_cache/y"; sleep 0.3`); len(told) != 0 {
		t.Errorf("the second: %q", told)
	}
}
