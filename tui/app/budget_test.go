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

func turns(n int) app.Events {
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	answer := strings.Repeat("The literal scanner needs its **own** counter, see `scan.go`. ", 32)
	var out app.Events
	add := func(b event.Body) {
		out = append(out, event.Event{Seq: uint64(len(out) + 1), Time: now, Session: "s", Body: b})
	}
	add(event.Opened{Root: "/src/parser", Level: "always_ask", Sandbox: "auto A"})
	for i := range n {
		add(event.TurnStarted{Turn: i + 1, Text: fmt.Sprint("turn ", i)})
		add(event.Reply{Text: fmt.Sprint(i, " ", answer)})
		add(event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	return out
}

// TestTenThousandTurns: the front end alone stays under 60 MB (docs/tui.md,
// section 9), and the first frame of a long session does not take longer.
func TestTenThousandTurns(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	m := testModel(time.Now())
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(turns(10_000))
	start := time.Now()
	m.View()
	first := time.Since(start)
	for range 500 { // read back through it
		m.Update(tty.Input{Event: uv.KeyPressEvent{Code: uv.KeyPgUp}, At: time.Now(), Alone: true})
		m.View()
	}
	used := (heap() - before) >> 20
	t.Logf("%d MB, first frame %v", used, first)
	if used > 60 {
		t.Errorf("%d MB after 10,000 turns", used)
	}
	runtime.KeepAlive(m)
}

// BenchmarkFrame is what a frame costs us, without the renderer.
func BenchmarkFrame(b *testing.B) {
	for _, size := range [][2]int{{100, 30}, {200, 60}, {400, 120}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			now := time.Now()
			m := testModel(now)
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
