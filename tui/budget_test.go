package tui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
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
