package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// BenchmarkResume10000 reads and folds 10,000 events, in the open and encrypted.
// `x-json` is the ratio to a bare check that the same bytes are JSON, in turns
// with it: its budget is 10 (docs/performance.md).
func BenchmarkResume10000(b *testing.B) {
	for name, secret := range map[string]string{"open": "", "encrypted": sessionSecret} {
		b.Run(name, func(b *testing.B) { benchmarkResume(b, NewStore(b.TempDir()).With(secret)) })
	}
}

func benchmarkResume(b *testing.B, store *Store) {
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
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	events, err := store.Read(log.ID())
	if err != nil {
		b.Fatal(err)
	}
	var lines [][]byte
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line)
	}
	var ours, bare time.Duration
	for b.Loop() {
		began := time.Now()
		events, err := store.Read(log.ID())
		if err != nil {
			b.Fatal(err)
		}
		Fold(events)
		middle := time.Now()
		for _, l := range lines {
			if !json.Valid(l) {
				b.Fatal("no JSON")
			}
		}
		ours, bare = ours+middle.Sub(began), bare+time.Since(middle)
	}
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/resume")
	b.ReportMetric(float64(ours)/float64(bare), "x-json")
}

// TestAFoldCopiesNothing: many files cost no more memory than the maps of them.
func TestAFoldCopiesNothing(t *testing.T) {
	cost := func(paths int) uint64 {
		var events []event.Event
		for i := range uint64(2000) {
			events = append(events, event.Event{Seq: i + 1, Session: "s", Body: event.CallResult{Call: "c", Status: "ok", Files: []event.FileSeen{{Path: fmt.Sprint(i % uint64(paths))}}}})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if s := Fold(events); len(s.Seen) != paths {
			t.Errorf("%d files are known", len(s.Seen))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(1), cost(1000); many > 5*few {
		t.Errorf("%d bytes for 1,000 files, %d for one", many, few)
	}
}

// BenchmarkFold100000 folds 100,000 events that are in memory, with 2,000 files.
func BenchmarkFold100000(b *testing.B) {
	var events []event.Event
	for i := range uint64(25_000) {
		for j, body := range []event.Body{event.TurnStarted{Turn: int(i), Text: "go on"}, event.Reply{Text: "yes", Calls: []event.Call{{ID: "c"}}},
			event.CallStarted{Call: "c"}, event.CallResult{Call: "c", Status: "ok", Files: []event.FileSeen{{Path: fmt.Sprint(i % 2000)}}, Changes: []event.Change{{Path: "a.go"}}}} {
			events = append(events, event.Event{Seq: 4*i + uint64(j) + 1, Time: noon, Session: "s", Body: body})
		}
	}
	for b.Loop() {
		Fold(events)
	}
}
