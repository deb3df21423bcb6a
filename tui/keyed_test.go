package tui_test

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

const pastedKey = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

// TestAPastedKeyIsWarnedOf, in the terminal: before it is sent.
func TestAPastedKeyIsWarnedOf(t *testing.T) {
	for text, want := range map[string]bool{"use " + pastedKey + " for it": true, "use the key for it": false} {
		tuitest.Bubble(t, func(t *testing.T) {
			s := tuitest.NewSession(opened())
			p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
			p.Send(termtest.Paste(text))
			p.Wait(100 * ms)
			if got := strings.Contains(p.Screen.Text(), "looks like a key (github)"); got != want {
				t.Errorf("%q:\n%s", text, p.Screen.Text())
			}
			if n := len(s.Commands()); n != 0 {
				t.Errorf("the paste did something: %d", n)
			}
			p.Quit()
		})
	}
}

// TestAKeyInLinesIsWarnedOf, in lines mode: with the message.
func TestAKeyInLinesIsWarnedOf(t *testing.T) {
	s := tuitest.NewSession(opened())
	got := inLines(t, s, func(typed func(string), _, _ func()) { typed("use " + pastedKey) })
	if !strings.Contains(got, "looks like a key (github)") || strings.Contains(got, pastedKey) {
		t.Errorf("%s", got)
	}
	if c := commands(s); !strings.Contains(c, "event.Submit") {
		t.Errorf("the session was told %q", c)
	}
}
