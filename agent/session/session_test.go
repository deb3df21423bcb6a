package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// story is a session with a call that was never closed.
func story() []event.Body {
	exit, cost := 0, int64(12)
	return []event.Body{
		event.Opened{Root: "/w", Level: "always_ask", Provider: "p", Model: "m"},
		event.TurnStarted{Turn: 1, Text: "fix it\nplease"},
		event.TextDelta{Text: "not stored"},
		event.Reply{Text: "looking", Calls: []event.Call{{ID: "c1", Tool: "read_file"}}, Usage: event.Usage{Input: 3, Cost: &cost}},
		event.CallStarted{Call: "c1", Tool: "read_file"},
		event.CallDecided{Call: "c1", Decision: "allowed", By: "table"},
		event.CallResult{Call: "c1", Status: "ok", Files: []event.FileSeen{{Path: "a.go", SHA256: "aa"}}},
		event.CallStarted{Call: "c2", Tool: "str_replace"},
		event.CallResult{Call: "c2", Status: "ok", Changes: []event.Change{{Path: "a.go", Change: "written"}}},
		event.Tainted{Source: "command"},
		event.CallStarted{Call: "c3", Tool: "self_verify"},
		event.CallResult{Call: "c3", Status: "ok", Exit: &exit, Check: true},
		event.QuestionOpened{Question: event.Question{ID: "q"}},
		event.QuestionClosed{ID: "q", How: "answered"},
		event.TodoChanged{Items: []event.TodoItem{{Text: "t", Status: "done"}}},
		event.LevelChanged{From: "always_ask", To: "new_files_only"},
		event.TurnEnded{Turn: 1, Status: "done"},
		event.TurnStarted{Turn: 2, Text: "more"},
		event.CallStarted{Call: "c4", Tool: "execute_command"},
	}
}

func mustCreate(t *testing.T) (*Store, *Log) {
	t.Helper()
	store := NewStore(filepath.Join(t.TempDir(), "sessions"))
	log, err := store.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	return store, log
}

func TestFoldOfTheLogIsTheLiveState(t *testing.T) {
	store, log := mustCreate(t)
	var live State
	for _, body := range story() {
		events, err := log.Append(noon, body)
		if err != nil {
			t.Fatal(err)
		}
		before, copied := live, deepCopy(t, live)
		live = Apply(live, events[0])
		if d := cmp.Diff(copied, before, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("Apply altered the state before: %s", d)
		}
		read, err := store.Read(log.ID())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(live, Fold(read)); d != "" {
			t.Fatalf("after %s: %s", body.Type(), d)
		}
	}
	if live.Title != "fix it" || len(live.Open) != 1 || live.Open[0].Call != "c4" || live.Seen["a.go"] != "aa" {
		t.Errorf("unexpected state: %+v", live)
	}
	if got := live.Verification(); got != "verified" {
		t.Errorf("verification = %s", got)
	}
}

// deepCopy is a state that shares no memory with s.
func deepCopy(t *testing.T, s State) State {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out State
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestResumeAfterACutAtEveryByte(t *testing.T) {
	store, log := mustCreate(t)
	if _, err := log.Append(noon, story()[:6]...); err != nil {
		t.Fatal(err)
	}
	log.Close()
	name := filepath.Join(store.dir, log.ID(), eventsFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l, events, torn, err := store.Resume(log.ID())
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if _, err := l.Append(noon, event.Notice{Text: "on we go"}); err != nil {
			t.Fatal(err)
		}
		l.Close()
		again, err := store.Read(log.ID())
		if err != nil || len(again) != len(events)+1 {
			t.Fatalf("cut at %d: %d events, then %d, %v", cut, len(events), len(again), err)
		}
		if whole[max(cut-1, 0)] != '\n' && cut > 0 && torn == 0 {
			t.Fatalf("cut at %d: the torn end was not reported", cut)
		}
	}
}

func TestDamageInTheMiddleIsAnError(t *testing.T) {
	store, log := mustCreate(t)
	if _, err := log.Append(noon, story()[:6]...); err != nil {
		t.Fatal(err)
	}
	log.Close()
	name := filepath.Join(store.dir, log.ID(), eventsFile)
	whole, _ := os.ReadFile(name)
	whole[5] ^= 1
	if err := os.WriteFile(name, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, _, _, err := store.Resume(log.ID()); !errors.As(err, &damaged) || damaged.Line != 1 {
		t.Errorf("got %v", err)
	}
	list, err := store.List()
	if err != nil || len(list) != 1 || list[0].Problem == "" {
		t.Errorf("list = %+v, %v", list, err)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	store, log := mustCreate(t)
	defer log.Close()
	var busy *BusyError
	if _, _, _, err := store.Resume(log.ID()); !errors.As(err, &busy) {
		t.Errorf("got %v", err)
	}
}

func TestNoSuchSession(t *testing.T) {
	store := NewStore(t.TempDir())
	for _, id := range []string{"", "..", "../../etc", "20261129-000000000000", "x"} {
		var missing *NotFoundError
		if _, err := store.Read(id); !errors.As(err, &missing) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestWriteErrorIsSticky(t *testing.T) {
	_, log := mustCreate(t)
	log.file.Close()
	if _, err := log.Append(noon, event.Renamed{Title: "x"}); err == nil {
		t.Fatal("a closed file took an event")
	}
	if _, err := log.Append(noon, event.Renamed{Title: "x"}); err == nil {
		t.Fatal("the error was forgotten")
	}
}

func BenchmarkResume10000(b *testing.B) {
	store := NewStore(b.TempDir())
	log, err := store.Create(noon)
	if err != nil {
		b.Fatal(err)
	}
	for range 10000 / 4 {
		_, err := log.Append(noon, event.TurnStarted{Text: "go on"}, event.Reply{Text: "yes"},
			event.CallStarted{Call: "c"}, event.CallResult{Call: "c", Status: "ok", Body: string(make([]byte, 200))})
		if err != nil {
			b.Fatal(err)
		}
	}
	log.Close()
	for b.Loop() {
		events, err := store.Read(log.ID())
		if err != nil {
			b.Fatal(err)
		}
		Fold(events)
	}
}
