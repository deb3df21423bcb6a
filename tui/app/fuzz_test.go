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
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tty"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

func testModel(t testing.TB, now time.Time) *app.Model { return recalling(t, now, nil) }

// recalling is a model whose session keeps what was said.
func recalling(t testing.TB, now time.Time, recall func([]uint64) ([]event.Event, error)) *app.Model {
	return app.New(t.Context(), app.Options{
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
	for range 25 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		frames(t, b.String(), r.IntN(140), r.IntN(50))
	}
}

// frames plays s in every field of every event, and looks at the frames.
func frames(t *testing.T, s string, width, height int) { framesOf(t, s, width, height, nil) }

// TestTheRoomsAreOpen: what frames looks at is what it says, and has the text.
func TestTheRoomsAreOpen(t *testing.T) {
	shown := map[string]bool{}
	framesOf(t, "zebra", 100, 40, func(what, frame string) { shown[what] = strings.Contains(frame, "zebra") })
	for _, room := range []string{"sessions", "naming", "undo", "undo plan", "models", "activity", "activity, a record", "activity, why", "activity, a search", "text", "jobs", "remembered", "self test", "find", "complete a file", "complete a command", "palette", "question"} {
		if !shown[room] {
			t.Errorf("%s does not show what it is given", room)
		}
	}
}

func framesOf(t *testing.T, s string, width, height int, seen func(what, frame string)) {
	t.Helper()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	m := app.New(t.Context(), app.Options{
		Send: func(event.Command) {}, Now: func() time.Time { return now }, Read: func() time.Time { return now }, Fence: func() uint64 { return 0 },
		Code: func() string { return "dfgh" }, By: "user:tui", Profile: colorprofile.TrueColor, Theme: "dark", Desk: aDesk(s), Log: aLog(s), Still: true,
		Copy: func(string) error { return nil },
	})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	check := func(what string) {
		t.Helper()
		v := m.View()
		if err, ok := errors.AsType[*app.PanicError](m.Err()); ok {
			t.Fatalf("%s: %v\n%s", what, err, err.Stack)
		}
		if seen != nil {
			seen(what, v.Content)
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
	perform(m, m.Init())
	check("the branch")
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
	rooms(s, m, check)
	press(uv.Key{Code: 'p', Mod: uv.ModCtrl})
	check("question")
	press(uv.Key{Code: '/', Text: "/"}) // in a review, its search; else typing
	check("search in a question")
}

// rooms plays s in whatever the lists and the log show, and looks at the frames.
func rooms(s string, m *app.Model, check func(string)) {
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	press := func(keys ...uv.Key) {
		for _, k := range keys {
			run(m, tty.Input{Event: uv.KeyPressEvent(k), At: now, Alone: true})
		}
	}
	ctrl := func(r rune) uv.Key { return uv.Key{Code: r, Mod: uv.ModCtrl} }
	letter := func(r rune) uv.Key { return uv.Key{Code: r, Text: string(r)} }
	enter, down, esc := uv.Key{Code: uv.KeyEnter}, uv.Key{Code: uv.KeyDown}, uv.Key{Code: uv.KeyEscape}
	typed := func(text string) {
		press(ctrl('u'))
		run(m, tty.Input{Event: uv.PasteEvent{Content: text}, At: now})
		press(enter)
	}
	search := func() { run(m, tty.Input{Event: uv.PasteEvent{Content: s}, At: now}) }
	for _, room := range []struct {
		name string
		open func()
	}{
		{"palette", func() { press(ctrl('k')); search() }},
		{"sessions", func() { press(ctrl('s'), down, letter('/')); search() }},
		{"naming", func() { press(ctrl('s'), letter('n')) }},
		{"undo", func() { press(ctrl('z'), down) }},
		{"undo plan", func() { press(ctrl('z'), enter, down) }},
		{"models", func() { press(uv.Key{Code: uv.KeyF3}, down) }},
		{"activity", func() { press(ctrl('g'), down) }},
		{"activity, a record", func() { press(ctrl('g'), letter('t'), enter) }},
		{"activity, why", func() { press(ctrl('g'), letter('t'), letter('w')) }},
		{"activity, a search", func() { press(ctrl('g'), letter('/')); search() }},
		{"text", func() { press(uv.Key{Code: uv.KeyF2}) }},
		{"keys", func() { press(uv.Key{Code: uv.KeyF1}) }},
		{"jobs", func() { typed("/jobs") }},
		{"remembered", func() { typed("/policy") }},
		{"self test", func() { typed("/doctor") }},
		{"find", func() { typed("/find " + s) }},
		{"complete a file", func() { press(ctrl('u'), letter('@')) }},
		{"complete a command", func() { press(ctrl('u'), letter('/')) }},
	} {
		room.open()
		check(room.name)
		press(esc, esc, esc)
	}
}

// aLog is an audit log in which every text is the same.
type aLog string

func (l aLog) Load(int64) (activity.Page, error) {
	page := tuitest.Filled[activity.Page](string(l))
	for i := range page.Entries {
		page.Entries[i].Seq, page.Entries[i].Mine = int64(i+1), i == 0
	}
	return page, nil
}
func (l aLog) Record(int64) ([]string, error) { return []string{string(l), "title " + string(l)}, nil }
func (l aLog) Verify(bool) activity.Chain     { return tuitest.Filled[activity.Chain](string(l)) }
func (l aLog) Export() (string, error)        { return string(l), nil }

// aDesk offers lists in which every text is the same.
func aDesk(s string) app.Desk {
	return app.Desk{
		Sessions: func() ([]snap.SessionRow, error) { return tuitest.Filled[[]snap.SessionRow](s), nil },
		Search:   func(string) ([]snap.SessionHit, error) { return tuitest.Filled[[]snap.SessionHit](s), nil },
		Models:   func() ([]snap.ModelRow, error) { return tuitest.Filled[[]snap.ModelRow](s), nil },
		Rules:    func() ([]snap.RuleRow, error) { return tuitest.Filled[[]snap.RuleRow](s), nil },
		Checks:   func() ([]snap.CheckRow, error) { return tuitest.Filled[[]snap.CheckRow](s), nil },
		Files:    func() ([]string, error) { return []string{s, s + "x"}, nil },
		Said:     func() ([]string, error) { return []string{s}, nil },
		Branch:   func() (string, error) { return s, nil },
		Rename:   func(string, string) error { return errors.New(s) },
	}
}

// TestViewIsKept: nothing is laid out again when nothing changed.
func TestViewIsKept(t *testing.T) {
	m := testModel(t, time.Now())
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
