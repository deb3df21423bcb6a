package tui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// TestIdleWritesNothing: docs/architecture.md, section 7.
func TestIdleWritesNothing(t *testing.T) {
	tuitest.Play(t, 100, 30, tui.Options{Session: tuitest.NewSession(finished()...)}, func(p *tuitest.Program) {
		p.Wait(5 * time.Second)
		before, _ := p.Screen.Written()
		p.Wait(10 * time.Minute)
		if after, _ := p.Screen.Written(); after != before {
			t.Errorf("%d bytes were written in ten idle minutes", after-before)
		}
	})
}

// TestIdleListsWriteNothing: nor does a room above the conversation.
func TestIdleListsWriteNothing(t *testing.T) {
	for _, open := range []string{"ctrl+k", "ctrl+s", "ctrl+z", "f3", "f2", "f1"} {
		tuitest.Play(t, 100, 30, tui.Options{Session: tuitest.NewSession(finished()...), Desk: testDesk()}, func(p *tuitest.Program) {
			p.Keys(open)
			p.Wait(5 * time.Second)
			before, _ := p.Screen.Written()
			p.Wait(10 * time.Minute)
			if after, _ := p.Screen.Written(); after != before {
				t.Errorf("%s: %d bytes were written in ten idle minutes", open, after-before)
			}
		})
	}
}

// TestStillIsStill: with reduce_motion nothing counts, though much goes on.
func TestStillIsStill(t *testing.T) {
	s := tuitest.NewSession(world()...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s, Still: true}, func(p *tuitest.Program) {
		p.Wait(5 * time.Second)
		before, _ := p.Screen.Written()
		p.Wait(5 * time.Minute)
		if after, _ := p.Screen.Written(); after != before {
			t.Errorf("%d bytes were written though nothing came", after-before)
		}
	})
}

// TestAnOpenQuestionIsCalm: the time that is left is told by the minute.
func TestAnOpenQuestionIsCalm(t *testing.T) {
	put(t, 100, 30, commandQuestion(), func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(5 * time.Second)
		_, before := p.Screen.Written()
		p.Wait(3 * time.Minute)
		if _, after := p.Screen.Written(); after-before > 10 {
			t.Errorf("%d writes in three minutes", after-before)
		}
	})
}

// TestStreamingBytes: 200 KB that stream in within 10 s cost the terminal at
// most twice their own length, and a frame at most 2.5 KB at the 99th
// percentile (docs/tui.md, section 9).
func TestStreamingBytes(t *testing.T) {
	words := strings.Fields("the literal scanner needs its own counter because a tab inside of a `string` is **one** column wide and no more")
	tuitest.Bubble(t, func(t *testing.T) {
		s := tuitest.NewSession(opened(), event.TurnStarted{Turn: 1, Text: "go"})
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s})
		bytes0, _ := p.Screen.Written()
		sent, n := 0, 0
		var frames []int
		for range 300 {
			var text strings.Builder
			for text.Len() < 680 {
				text.WriteString(words[(n*n+n/7)%len(words)] + " ")
				if n++; n%60 == 0 {
					text.WriteString("\n\n")
				}
			}
			sent += text.Len()
			before, _ := p.Screen.Written()
			s.Emit(event.TextDelta{Text: text.String()})
			p.Wait(33 * time.Millisecond)
			after, _ := p.Screen.Written()
			frames = append(frames, after-before)
		}
		bytes1, _ := p.Screen.Written()
		slices.Sort(frames)
		p99 := frames[len(frames)*99/100]
		t.Logf("%d bytes streamed in, %d written, a frame: median %d, p99 %d", sent, bytes1-bytes0, frames[len(frames)/2], p99)
		if p99 > 2560 {
			t.Errorf("a frame of %d bytes at the 99th percentile", p99)
		}
		if bytes1-bytes0 > 2*sent {
			t.Errorf("%d bytes written for %d", bytes1-bytes0, sent)
		}
		p.Quit()
	})
}

// TestRepaintBytes: a resize costs one repaint of at most 3.5 KB.
func TestRepaintBytes(t *testing.T) {
	tuitest.Play(t, 90, 30, tui.Options{Session: tuitest.NewSession(finished()...)}, func(p *tuitest.Program) {
		p.Wait(time.Second)
		before, _ := p.Screen.Written()
		p.Resize(100, 30)
		p.Wait(time.Second)
		after, _ := p.Screen.Written()
		t.Logf("%d bytes", after-before)
		if after-before > 3584 {
			t.Errorf("%d bytes for a resize", after-before)
		}
	})
}

// build compiles one of the programs in testdata/bench.
func build(tb testing.TB, name string) string {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", out, "./testdata/bench/"+name)
	if text, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v: %s", err, text)
	}
	return out
}

// firstFrame is how long it takes from the start of a program to its first
// frame.
func firstFrame(tb testing.TB, program string) time.Duration {
	tb.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	start := time.Now()
	p := termtest.Start(tb, cmd, 100, 30)
	for !strings.Contains(p.Text(), "[=]") && !strings.Contains(p.Text(), "[ ]") {
		if time.Since(start) > 20*time.Second {
			tb.Fatalf("no frame:\n%s", p.Text())
		}
		time.Sleep(200 * time.Microsecond)
	}
	took := time.Since(start)
	p.Key("ctrl+d")
	p.WaitExit()
	return took
}

// TestFirstFrame: at most twice the time of a bare Bubble Tea program
// (docs/architecture.md, section 7), each at the median of some runs.
func TestFirstFrame(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs for some seconds: left out by -short")
	}
	median := func(name string) time.Duration {
		program := build(t, name)
		var all []time.Duration
		for range 9 {
			all = append(all, firstFrame(t, program))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	bare, full := median("bare"), median("full")
	t.Logf("bare %v, full %v", bare, full)
	if full > 2*bare {
		t.Errorf("the first frame takes %v, a bare program's %v", full, bare)
	}
}

func BenchmarkFirstFrame(b *testing.B) {
	for _, name := range []string{"bare", "full"} {
		b.Run(name, func(b *testing.B) {
			program := build(b, name)
			for b.Loop() {
				firstFrame(b, program)
			}
		})
	}
}
