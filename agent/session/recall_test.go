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

// TestRecall: what was appended is read again as it was, by the process that
// wrote it and by the next one, whether the log is encrypted or not.
func TestRecall(t *testing.T) {
	for _, secret := range []string{"", "a long and secret phrase"} {
		store := NewStore(filepath.Join(t.TempDir(), "sessions")).With(secret)
		log, err := store.Create(noon)
		if err != nil {
			t.Fatal(err)
		}
		var want []event.Event
		grow := func() {
			for range 3 {
				events, err := log.Append(noon, story()...)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if e.Seq != 0 {
						want = append(want, e)
					}
				}
			}
		}
		check := func() {
			t.Helper()
			var seqs []uint64
			for i := range want {
				seqs = append(seqs, want[len(want)-1-i].Seq)
			}
			got, err := log.Recall(seqs)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%d of %d events, %v", len(got), len(want), err)
			}
			for i := range got {
				if d := cmp.Diff(want[len(want)-1-i], got[i]); d != "" {
					t.Fatalf("event %d (-written +read):\n%s", seqs[i], d)
				}
			}
			for _, none := range []uint64{0, uint64(len(want) + 1), 1 << 63} {
				if _, err := log.Recall([]uint64{none}); err == nil {
					t.Errorf("event %d of %d is there", none, len(want))
				}
			}
		}
		grow()
		check()
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if log, _, _, err = store.Resume(log.ID()); err != nil {
			t.Fatal(err)
		}
		check()
		grow()
		check()
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecallOfAChangedLine: what others broke is no event, and a line that was put
// in the place of another is not taken for it. (Only encryption tells a line that
// was changed into another event of the same number.)
func TestRecallOfAChangedLine(t *testing.T) {
	store, log := mustCreate(t)
	_ = store
	if _, err := log.Append(noon, event.Renamed{Title: "aa"}, event.Renamed{Title: "bb"}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(log.dir, eventsFile)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	for _, change := range []string{lines[1] + lines[0], strings.ToUpper(lines[0]) + lines[1], lines[0]} {
		if err := os.WriteFile(name, []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := log.Recall([]uint64{1, 2}); err == nil {
			t.Errorf("%q was read as %v", change, got)
		}
	}
}

// TestALogThatIsCutBeneathUs: nothing is appended where it could not be read
// again, and what was there is not shown as something else.
func TestALogThatIsCutBeneathUs(t *testing.T) {
	for name, size := range map[string]func(int64) int64{
		"emptied": func(int64) int64 { return 0 }, "shorter": func(n int64) int64 { return n - 20 }, "longer": func(n int64) int64 { return n + 1<<20 },
	} {
		_, log := mustCreate(t)
		if _, err := log.Append(noon, event.Renamed{Title: "aa"}, event.Renamed{Title: "bb"}); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(log.dir, eventsFile), size(log.end)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := log.Append(noon, event.Renamed{Title: "cc"}); err == nil || !strings.Contains(err.Error(), "somebody else") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, err := log.Recall([]uint64{2}); name != "longer" && err == nil {
			t.Errorf("%s: recalled %v", name, got)
		}
	}
}

// BenchmarkRecall: a few events out of a long log cost what they are long, and
// not what the log is.
func BenchmarkRecall(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			log, err := NewStore(filepath.Join(b.TempDir(), "sessions")).Create(time.Now())
			if err != nil {
				b.Fatal(err)
			}
			text := strings.Repeat("word ", 400)
			for range size {
				if _, err := log.Append(noon, event.Reply{Text: text}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, err := log.Recall([]uint64{1, uint64(size / 2), uint64(size)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
