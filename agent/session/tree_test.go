package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

// talk stores a session with so many turns.
func talk(t testing.TB, s *Store, title string, turns int) string {
	t.Helper()
	l, err := s.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	bodies := []event.Body{event.Opened{Root: "/w", Level: "always_ask"}}
	for n := range turns {
		bodies = append(bodies, event.TurnStarted{Turn: n + 1, Text: fmt.Sprintf("%s %d", title, n+1)},
			event.Reply{Text: fmt.Sprintf("answer %d", n+1)}, event.TurnEnded{Turn: n + 1, Status: "done"})
	}
	if _, err := l.Append(noon, bodies...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.ID()
}

func TestForkStandsAlone(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "sessions"))
	id := talk(t, s, "question", 3)
	out := filepath.Join(s.dir, id, outFolder)
	if err := os.MkdirAll(out, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "c1"), []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	fork, err := s.Fork(id, 2, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	events, err := s.Read(fork)
	if err != nil {
		t.Fatal(err)
	}
	state := Fold(events)
	if state.Turn != 2 || len(state.Messages) != 4 || state.Parent != id || state.Fork != 7 || state.ID != fork || state.TurnOpen {
		t.Errorf("%+v", state)
	}
	if b, err := os.ReadFile(filepath.Join(s.dir, fork, outFolder, "c1")); err != nil || string(b) != "whole" {
		t.Errorf("output: %q, %v", b, err)
	}
	if _, err := s.Fork(fork, 9, noon); err == nil {
		t.Error("a fork at a turn that is not there")
	}
	if again, err := s.Fork(fork, 0, noon); err != nil {
		t.Error(err)
	} else if events, _ := s.Read(again); Fold(events).Parent != fork {
		t.Error("the fork of a fork names another parent")
	}
}

// TestLatestIsOneOfWords: a session in which nothing was said is not the one to
// go on with, unless there is no other.
func TestLatestIsOneOfWords(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "sessions"))
	empty := talk(t, s, "", 0)
	if id, err := s.Latest("/w"); err != nil || id != empty {
		t.Errorf("alone: %s, %v", id, err)
	}
	spoken := talk(t, s, "question", 1)
	talk(t, s, "", 0)
	if id, err := s.Latest("/w"); err != nil || id != spoken {
		t.Errorf("latest is %s, %v; want %s", id, err, spoken)
	}
	if id, err := s.Latest("/elsewhere"); err == nil {
		t.Errorf("another folder has %s", id)
	}
}

// TestCallsByHand are no conversation, as long as nobody talks in them.
func TestCallsByHand(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "sessions"))
	spoken := talk(t, s, "question", 1)
	for fronts, hand := range map[string]bool{"cli": true, "mcp": true, "cli tui": false, "tui cli": false, "run": false, "acp": false, "": false} {
		l, err := s.Create(noon)
		if err != nil {
			t.Fatal(err)
		}
		turn := []event.Body{event.TurnStarted{Turn: 1, Text: "a call"}, event.TurnEnded{Turn: 1, Status: "done"}}
		for _, f := range strings.Split(fronts, " ") {
			turn = append(turn, event.Opened{Root: "/hand", Level: "always_ask", Front: f})
		}
		if _, err := l.Append(noon.Add(time.Hour), turn...); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if sum := s.summary(l.ID()); sum.Hand != hand || sum.Aside() != hand || sum.Problem != "" {
			t.Errorf("%q: %+v", fronts, sum)
		}
	}
	if id, err := s.Latest("/w"); err != nil || id != spoken {
		t.Errorf("latest is %s, %v", id, err)
	}
}

func TestIndexIsNoTruth(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "sessions"))
	for n := range 5 {
		talk(t, s, fmt.Sprint("title", n), n+1)
	}
	list := func() []Summary {
		t.Helper()
		all, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := list()
	file := filepath.Join(s.dir, indexFile)
	for name, damage := range map[string]func() error{
		"lost":      func() error { return os.Remove(file) },
		"cut":       func() error { return os.Truncate(file, 20) },
		"other":     func() error { return os.WriteFile(file, []byte(`{"v":99,"rows":{}}`), 0o600) },
		"as it was": func() error { return nil },
		"a folder":  func() error { os.Remove(file); return os.Mkdir(file, 0o700) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, list()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		os.RemoveAll(file)
		list()
	}
	if err := s.Note(want[0].ID, noon.Add(time.Hour), event.Renamed{Title: "renamed"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Note(want[0].ID, noon.Add(time.Hour), event.Archived{Archived: true}); err != nil {
		t.Fatal(err)
	}
	if got := list()[0]; got.Title != "renamed" || !got.Archive {
		t.Errorf("a change is not seen: %+v", got)
	}
}

func TestSearch(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "sessions"))
	id := talk(t, s, `Say "<tab>" & Ünder`, 2)
	for _, text := range []string{"say", `"<TAB>"`, "& Ünder", "ANSWER 2"} {
		if hits, err := s.Search(id, text); err != nil || len(hits) == 0 {
			t.Errorf("%q: %v, %v", text, hits, err)
		}
	}
	if hits, err := s.Search(id, "nowhere"); err != nil || len(hits) > 0 {
		t.Errorf("%v, %v", hits, err)
	}
	if _, err := s.Search("../"+id, "x"); err == nil {
		t.Error("a path was taken for an id")
	}
}

func BenchmarkList1000(b *testing.B) {
	s := NewStore(filepath.Join(b.TempDir(), "sessions"))
	for n := range 1000 {
		talk(b, s, fmt.Sprint("title", n), 20)
	}
	if _, err := s.List(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.List(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch1000(b *testing.B) {
	s := NewStore(filepath.Join(b.TempDir(), "sessions"))
	var ids []string
	for n := range 1000 {
		ids = append(ids, talk(b, s, fmt.Sprint("title", n), 20))
	}
	for b.Loop() {
		for _, id := range ids {
			if _, err := s.Search(id, "nowhere"); err != nil {
				b.Fatal(err)
			}
		}
	}
}
