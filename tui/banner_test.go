package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// TestBannerLetters: a letter of a banner does what the banner says when the
// banner was there, the keyboard was quiet and nothing follows; in every other
// case it is a letter of the message, and none is lost.
func TestBannerLetters(t *testing.T) {
	retry := event.Notice{Severity: "warn", Key: "retry", Text: "the model's server failed (503): trying again in 4s, attempt 2"}
	undo := event.Notice{Severity: "warn", Key: "undo", Text: "nothing can be put back"}
	policy := event.Notice{Severity: "error", Key: "policy", Text: "the policy was not read again"}
	type key struct {
		press string
		after time.Duration // before the press
	}
	for name, c := range map[string]struct {
		notices []event.Body
		keys    []key
		typed   string // in the message
		shows   string // a panel
		told    string
	}{
		"another model":       {[]event.Body{retry}, []key{{"m", time.Second}}, "", "models  ", ""},
		"what can be undone":  {[]event.Body{undo}, []key{{"u", time.Second}}, "", "undo  what", "event.ListUndo{}"},
		"the policy again":    {[]event.Body{policy}, []key{{"r", time.Second}}, "", "", "event.Reload{}"},
		"two banners":         {[]event.Body{retry, undo}, []key{{"m", time.Second}}, "", "models  ", ""},
		"the log":             {[]event.Body{event.AuditHead{Broken: "disk full"}}, []key{{"d", time.Second}}, "", "there is no log", ""},
		"typed ahead":         {[]event.Body{retry}, []key{{"m", 10 * ms}}, "m", "", ""},
		"typed before":        {[]event.Body{retry}, []key{{"m", 390 * ms}}, "m", "", ""},
		"the start of a word": {[]event.Body{retry}, []key{{"m", time.Second}, {"o", 100 * ms}, {"d", 100 * ms}}, "mod", "", ""},
		"twice":               {[]event.Body{retry}, []key{{"m", time.Second}, {"m", 100 * ms}}, "mm", "", ""},
		"typed slowly":        {[]event.Body{retry}, []key{{"m", time.Second}, {"o", 500 * ms}, {"d", 300 * ms}}, "mod", "", ""},
		"in a message":        {[]event.Body{retry}, []key{{"x", time.Second}, {"m", time.Second}}, "xm", "", ""},
		"no letter of it":     {[]event.Body{retry}, []key{{"u", time.Second}}, "u", "", ""},
		"nothing bad":         {[]event.Body{event.Notice{Severity: "info", Key: "undo", Text: "put back a"}}, []key{{"u", time.Second}}, "u", "", ""},
		"capital":             {[]event.Body{retry}, []key{{"M", time.Second}}, "M", "", ""},
		"and enter":           {[]event.Body{retry}, []key{{"m", time.Second}, {"enter", 50 * ms}}, "", "", "event.Submit{m}"},
		"it was replaced":     {[]event.Body{retry, event.Notice{Key: "retry"}}, []key{{"m", time.Second}}, "m", "", ""},
	} {
		s := tuitest.NewSession(opened())
		tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
			p.Wait(3 * time.Second)
			s.Emit(c.notices...)
			for _, k := range c.keys {
				p.Wait(k.after)
				p.Send(termtest.Key(k.press))
			}
			p.Wait(2 * time.Second)
			text := p.Screen.Text()
			if c.shows != "" && !strings.Contains(text, c.shows) || c.shows == "" && strings.Contains(text, "models  ") {
				t.Errorf("%s: shows\n%s", name, text)
			}
			if c.typed != "" && !strings.Contains(text, "> "+c.typed+"\n") {
				t.Errorf("%s: %q was typed\n%s", name, c.typed, text)
			}
			if got := commands(s); got != c.told {
				t.Errorf("%s: told %q, want %q", name, got, c.told)
			}
		})
	}
}
