package app_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

func testModel(now time.Time) *app.Model { return recalling(now, nil) }

// recalling is a model whose session keeps what was said.
func recalling(now time.Time, recall func([]uint64) ([]event.Event, error)) *app.Model {
	return app.New(app.Options{
		Recall: recall,
		Send:   func(event.Command) {}, Now: func() time.Time { return now }, Read: func() time.Time { return now }, Fence: func() uint64 { return 0 },
		Code: func() string { return "dfgh" }, By: "user:tui", Profile: colorprofile.TrueColor,
	})
}

// FuzzEvents: whatever the fields of events hold, a frame has the lines and
// columns of the screen, and nothing in it is for the gate to refuse.
func FuzzEvents(f *testing.F) {
	f.Add("\x1b]52;c;aGk=\x07\u202e\xff", 80, 24)
	f.Add("日本語\n# x\n```\n", 20, 5)
	f.Add(strings.Repeat("e\u0301\u0302\u0303 ", 30), 3, 60)
	f.Fuzz(func(t *testing.T, s string, width, height int) { frames(t, s, max(0, width)%250, max(0, height)%80) })
}

// TestRandomText is a share of the fuzzing for every day.
func TestRandomText(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "word ", "日本", "e\u0301", "\u0301", "\x1b[31m", "\x1b]0;x\x07", "\u202e", "\xff", "\n", "\n\n", "```\n", "# ", "- ", "| a | b |\n|-|-|\n", "**", "`", "[a](b)", "👩‍⚕️", "\t", "\r", "<x1B>", "> ", "    "}
	for range 150 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		frames(t, b.String(), r.IntN(140), r.IntN(50))
	}
}

// frames plays s in every field of every event, and looks at the frames.
func frames(t *testing.T, s string, width, height int) {
	t.Helper()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	m := testModel(now)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	check := func(what string) {
		t.Helper()
		v := m.View()
		if err, ok := errors.AsType[*app.PanicError](m.Err()); ok {
			t.Fatalf("%s: %v\n%s", what, err, err.Stack)
		}
		if width == 0 || height == 0 {
			return
		}
		lines := strings.Split(v.Content, "\n")
		if len(lines) != height {
			t.Fatalf("%s: %d lines on a screen of %d", what, len(lines), height)
		}
		for _, l := range lines {
			if n := ansi.StringWidthWc(l); n > width {
				t.Fatalf("%s: a line of %d cells on a screen of %d: %q", what, n, width, l)
			}
		}
		g := tty.NewGate(io.Discard, nil)
		if _, err := g.Write([]byte(v.Content)); err != nil || g.Faults() > 0 {
			t.Fatalf("%s: %d faults, %v in %q", what, g.Faults(), err, v.Content)
		}
		if v.Cursor != nil && (v.Cursor.X >= width || v.Cursor.Y >= height) {
			t.Fatalf("%s: the cursor is at %d,%d", what, v.Cursor.X, v.Cursor.Y)
		}
	}
	check("nothing")
	for i, b := range tuitest.EveryBody(s) {
		m.Update(app.Events{{Seq: uint64(i + 1), Time: now, Session: s, Body: b}})
		check(b.Type())
	}
	press := func(k uv.Key) { m.Update(tty.Input{Event: uv.KeyPressEvent(k), At: now, Alone: true}) }
	m.Update(tty.Input{Event: uv.PasteEvent{Content: s}, At: now})
	check("paste")
	press(uv.Key{Code: uv.KeyUp, Mod: uv.ModShift})
	press(uv.Key{Code: uv.KeyUp})
	press(uv.Key{Code: uv.KeyEnter})
	check("reading")
	press(uv.Key{Code: uv.KeyEscape})
	press(uv.Key{Code: 'p', Mod: uv.ModCtrl})
	check("question")
}

// TestViewIsKept: nothing is laid out again when nothing changed.
func TestViewIsKept(t *testing.T) {
	m := testModel(time.Now())
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	first := m.View()
	if first.Content == "" {
		t.Fatal("an empty frame")
	}
	if !bytes.Equal([]byte(first.Content), []byte(m.View().Content)) {
		t.Error("another frame")
	}
	if n := testing.AllocsPerRun(10, func() { m.View() }); n > 0 {
		t.Errorf("an unchanged view allocates %.0f times", n)
	}
}
