package app_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

func turns(n int) app.Events { return turnsFrom(0, n) }

// turnsFrom are n turns, with the numbers that they have in the log, after the
// event that opens the session.
func turnsFrom(first, n int) app.Events {
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	answer := strings.Repeat("The literal scanner needs its **own** counter, see `scan.go`. ", 32)
	var out app.Events
	add := func(b event.Body) {
		out = append(out, event.Event{Seq: uint64(3*first + len(out) + 1), Time: now, Session: "s", Body: b})
	}
	add(event.Opened{Root: "/src/parser", Level: "always_ask", Sandbox: "auto A"})
	for i := first; i < first+n; i++ {
		add(event.TurnStarted{Turn: i + 1, Text: fmt.Sprint("turn ", i)})
		add(event.Reply{Text: fmt.Sprint(i, " ", answer)})
		add(event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	return out
}

// TestTenThousandTurns: what the front end keeps of a session is a place in the
// log for each entry, and not what was said: of 20 MB less than 8 stay, though
// all of it was read through. (The design allows 60 MB.)
func TestTenThousandTurns(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const many = 10_000
	m := recalling(t, time.Now(), func(seqs []uint64) (out []event.Event, err error) {
		for _, n := range seqs { // as a log does: each one is read on its own
			turn := int(n-2) / 3
			out = append(out, turnsFrom(turn, 1)[1+int(n-2)%3])
		}
		return out, nil
	})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(turns(many))
	m.View()
	pages := 0
	press := func(code rune) {
		pages++
		run(m, tty.Input{Event: uv.KeyPressEvent{Code: code}, At: time.Now(), Alone: true})
		m.View()
	}
	for range 500 {
		press(uv.KeyPgUp)
	}
	press(uv.KeyHome)
	if !strings.Contains(m.View().Content, "turn 0") {
		t.Errorf("the beginning is not there:\n%s", m.View().Content)
	}
	for range 500 {
		press(uv.KeyPgDown)
	}
	used := (int64(heap()) - int64(before)) / 1000
	t.Logf("%d KB after %d pages", used, pages)
	if used > 8000 {
		t.Errorf("%d KB after 10,000 turns", used)
	}
	runtime.KeepAlive(m)
}

// run gives the model a message, and then those that its commands come to.
func run(m *app.Model, msg tea.Msg) {
	_, cmd := m.Update(msg)
	perform(m, cmd)
}

func perform(m *app.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				perform(m, c)
			}
		} else if msg != nil {
			run(m, msg)
		}
	case <-time.After(20 * time.Millisecond): // a tick
	}
}

// BenchmarkFrame is what a frame costs us, without the renderer.
func BenchmarkFrame(b *testing.B) {
	for _, size := range [][2]int{{100, 30}, {200, 60}, {400, 120}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			now := time.Now()
			m := testModel(b, now)
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			m.Update(turns(200))
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				m.Update(tty.Input{Event: uv.KeyPressEvent{Code: 'a', Text: "a"}, At: now, Alone: true})
				m.View()
				took = append(took, time.Since(start))
				if len(took)%50 == 0 {
					m.Update(tty.Input{Event: uv.KeyPressEvent{Code: 'u', Mod: uv.ModCtrl}, At: now, Alone: true})
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
