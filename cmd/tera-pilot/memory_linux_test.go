package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// TestMemoryOfALongSession: the whole program stays under 100 MB with 10,000
// turns of 2 KB behind it (docs/architecture.md, section 7). Repeated runs come
// to 90 to 94.
func TestMemoryOfALongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	f := newFolders(t, `{"steps": [{"say": "x"}]}`)
	s, _ := sit(t, f.command(built(t), "--session", longSession(t, f, 10_000)))
	s.until("turn 10000")
	for range 20 {
		s.Key("pgup")
	}
	time.Sleep(time.Second)
	mb := s.resident()
	t.Logf("%d MB", mb)
	if mb > 100 {
		t.Errorf("%d MB are resident", mb)
	}
	s.Key("esc")
	time.Sleep(200 * time.Millisecond)
	s.Key("ctrl+d")
	if code := s.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// longSession stores a session of n turns of 2 KB, and gives its id.
func longSession(tb testing.TB, f folders, n int) string {
	tb.Helper()
	log, err := session.NewStore(filepath.Join(f.state, "sessions")).Create(time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	bodies := []event.Body{event.Opened{Root: f.repo, Level: "always_ask"}}
	for i := range n {
		text := fmt.Sprint(i, " ", strings.Repeat("The literal scanner needs its **own** counter, see `scan.go`. ", 32))
		bodies = append(bodies, event.TurnStarted{Turn: i + 1, Text: fmt.Sprint("turn ", i)}, event.Reply{Text: text, Stop: "end"}, event.TurnEnded{Turn: i + 1, Status: "done"})
	}
	_, err = log.Append(time.Now(), bodies...)
	if err := errors.Join(err, log.Close()); err != nil {
		tb.Fatal(err)
	}
	return log.ID()
}
