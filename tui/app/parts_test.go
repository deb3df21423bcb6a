package app

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// TestElsewhere: what the terminal says of the focus counts from then on; one
// that never says is believed after ten seconds without a key.
func TestElsewhere(t *testing.T) {
	now := time.Now()
	var p person
	p.did(now)
	if p.elsewhere(now.Add(9*time.Second)) || !p.elsewhere(now.Add(10*time.Second)) {
		t.Error("ten seconds are not the bound")
	}
	p.looks(now, false)
	if !p.elsewhere(now) {
		t.Error("the terminal said so, and it is not believed")
	}
	p.looks(now, true)
	if p.elsewhere(now.Add(time.Hour)) {
		t.Error("whoever thinks for an hour is not elsewhere")
	}
}

// TestWhenAQuestionTakesTheFocus: after a pause, and never where the person put
// it off, where it has it already, or where our own question lies above it.
func TestWhenAQuestionTakesTheFocus(t *testing.T) {
	acted := time.Now()
	room := func() *ask.Room { return ask.New(event.Question{ID: "q"}, "user:tui") }
	focused := room()
	focused.Focus(acted)
	for name, c := range map[string]struct {
		q    questions
		from time.Duration // after acted; below 0 for never
	}{
		"none is open":       {questions{}, -1},
		"open":               {questions{open: room()}, arm.Focus},
		"put off":            {questions{open: room(), later: true}, -1},
		"has it already":     {questions{open: focused}, -1},
		"beneath our own":    {questions{open: room(), own: room()}, -1},
		"answered":           {questions{open: room(), answered: acted}, reask},
		"answered long ago":  {questions{open: room(), answered: acted.Add(-reask)}, arm.Focus},
		"answered and typed": {questions{open: room(), answered: acted.Add(-time.Second)}, reask - time.Second},
	} {
		at, ok := c.q.from(acted)
		if ok != (c.from >= 0) || ok && at.Sub(acted) != max(c.from, arm.Focus) {
			t.Errorf("%s: %v after, %v", name, at.Sub(acted), ok)
		}
	}
	q := questions{open: focused, own: room()}
	if q.focused() != q.own || len(q.rooms()) != 2 {
		t.Error("our own question is not above the session's")
	}
	if q.blur(q.own); q.focused() != focused {
		t.Error("it stays when it has lost the focus")
	}
	if q.blur(focused); q.focused() != nil || q.open == nil {
		t.Error("the session's question goes by that, or keeps the focus")
	}
}

// TestOffers: the choice stays with its name, and an offer that was refused comes
// back with another word.
func TestOffers(t *testing.T) {
	var c completion
	c.show(&offer{word: "@a", fit: []string{"ab", "ac", "ad"}})
	c.shown.chosen = 1
	if c.show(&offer{word: "@ac", fit: []string{"xac", "ac"}}); c.shown.taken() != "@ac" {
		t.Errorf("the choice is %s", c.shown.taken())
	}
	if c.show(&offer{word: "@x", fit: []string{"x"}}); c.shown.taken() != "@x" {
		t.Errorf("what was chosen is gone, and the choice is %s", c.shown.taken())
	}
	c.refuse("@x")
	if c.show(&offer{word: "@x", fit: []string{"x"}}); c.shown != nil {
		t.Error("what was refused is offered again")
	}
	if c.show(&offer{word: "@y"}); c.shown != nil {
		t.Error("nothing is offered")
	}
	if c.show(commandsFor("/pl", []event.SlashCommand{{Name: "play"}, {Name: "x"}})); len(c.shown.fit) != 2 || c.shown.taken() != "/plan" {
		t.Errorf("the commands are %v", c.shown.fit)
	}
}

// TestWhatTheTerminalSays: its background changes an automatic theme and no other,
// and only a terminal that knows graphemes is believed to count in them.
func TestWhatTheTerminalSays(t *testing.T) {
	s := newScreen(colorprofile.TrueColor, "")
	dark := s.theme.Name
	if s.background(false); s.theme.Name == dark {
		t.Errorf("on a light background it is %s", s.theme.Name)
	}
	named := newScreen(colorprofile.TrueColor, "high-contrast")
	if named.background(false); named.theme.Name != "high-contrast" {
		t.Errorf("the person's theme became %s", named.theme.Name)
	}
	for value, knows := range map[ansi.ModeSetting]bool{
		ansi.ModeNotRecognized: false, ansi.ModeSet: true, ansi.ModeReset: true, ansi.ModePermanentlySet: true, ansi.ModePermanentlyReset: false,
	} {
		s := newScreen(colorprofile.TrueColor, "")
		if s.reported(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: value}) != knows || (s.widths == view.Graphemes) != knows {
			t.Errorf("mode 2027 is %v: widths %v", value, s.widths)
		}
		if s.reported(tea.ModeReportMsg{Mode: ansi.ModeFocusEvent, Value: value}) {
			t.Error("another mode says how wide a character is")
		}
	}
}
