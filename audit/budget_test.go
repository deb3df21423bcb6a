package audit

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// The budgets of docs/architecture.md, as ratios on the same machine and disk
// in the same minute. A busy machine disturbs single runs, so each has a few
// tries, and the bound has the slack that is written beside it.

// TestBudgets measures without the race detector, whose cost is not the
// program's: under it the same test runs once more in a plain build.
func TestBudgets(t *testing.T) {
	if raceDetector {
		out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "^TestBudgets$", ".").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	t.Run("intent", func(t *testing.T) {
		// A virtual disk may answer from the memory of its host, in less time
		// than a few signatures take. One signature is the least that an intent
		// costs, so on such a disk these are the measure.
		attempt(t, 6, func() string {
			m := durations(t, func(l Layer) Layer { return l }, 400)
			if slow := bound("intent / bare fdatasync, p50", best(m, ratio), 1.3, 0.25); slow == "" {
				return ""
			}
			return bound("signatures that an intent costs beside the fdatasync, p50", best(m, beside), 3, 1)
		})
	})
	t.Run("intent on a disk that takes its time", func(t *testing.T) {
		// The same with a sync that takes 1 ms more, as on a good disk without
		// a cache that outlives its power.
		attempt(t, 6, func() string {
			m := durations(t, func(l Layer) Layer { return slowSync{l, time.Millisecond} }, 100)
			return bound("intent / bare fdatasync of 1 ms, p50", best(m, ratio), 1.3, 0)
		})
	})
	t.Run("writers", func(t *testing.T) {
		attempt(t, 6, func() string { return bound("8 writers / one, inverted", oneAgainstEight(t), 0.5, 0) })
	})
	n := manyRecords()
	export := longExport(t, n)
	t.Run("verify", func(t *testing.T) {
		attempt(t, 6, func() string {
			floor := float64(n) / verifyRate()
			full := verifyTime(t, export, false)
			return bound("full verify / signatures alone", float64(full)/floor, 1.5, 0.15)
		})
		attempt(t, 6, func() string {
			full, fast := verifyTime(t, export, false), verifyTime(t, export, true)
			return bound("fast / full", float64(fast)/float64(full), 0.2, 0.05)
		})
	})
	t.Run("memory", func(t *testing.T) {
		if got := bound("MiB to verify", verifyMemory(t, export), 32, 0); got != "" {
			t.Error(got)
		}
	})
}

// BenchmarkBudgets reports the same figures once, for docs/performance.md.
func BenchmarkBudgets(b *testing.B) {
	here := durations(b, func(l Layer) Layer { return l }, 400)
	slow := durations(b, func(l Layer) Layer { return slowSync{l, time.Millisecond} }, 100)
	writers := oneAgainstEight(b)
	n := manyRecords()
	export := longExport(b, n)
	full, fast := verifyTime(b, export, false), verifyTime(b, export, true)
	b.ReportMetric(best(here, ratio), "x-disk")
	b.ReportMetric(best(here, beside), "signatures")
	b.ReportMetric(best(slow, ratio), "x-1ms")
	b.ReportMetric(1/writers, "x-writers")
	b.ReportMetric(float64(full)*verifyRate()/float64(n), "x-verify")
	b.ReportMetric(float64(fast)/float64(full), "x-fast")
	b.ReportMetric(float64(n)/full.Seconds(), "records/s")
	b.ReportMetric(verifyMemory(b, export), "verify-MB")
	b.ReportMetric(float64(n), "records")
}

// manyRecords is how many records a long log has.
func manyRecords() int {
	if soak() {
		return 1_000_000
	}
	return 20_000
}

// oneAgainstEight is the records of one writer for one of eight writers. By
// turns, in pairs: what else runs on the machine disturbs some of them, in
// either direction, so the best quarter counts, by its worst.
func oneAgainstEight(t testing.TB) float64 {
	t.Helper()
	pairs := make([]float64, 12)
	for i := range pairs {
		pairs[i] = throughput(t, 1, 80) / throughput(t, 8, 320)
	}
	slices.Sort(pairs)
	return pairs[len(pairs)/4-1]
}

// attempt runs a measurement until it keeps its bound.
func attempt(t *testing.T, tries int, measure func() (broken string)) {
	t.Helper()
	var all []string
	for range tries {
		why := measure()
		if why == "" {
			return
		}
		all = append(all, why)
	}
	t.Errorf("%q", all)
}

// bound says what was measured when it is over the budget and its slack.
func bound(what string, got, budget, slack float64) string {
	fmt.Printf("    %s: %.3f (budget %.2f)\n", what, got, budget)
	if got > budget+slack {
		return fmt.Sprintf("%s: %.3f, budget %.2f and slack %.2f", what, got, budget, slack)
	}
	return ""
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

// medians of a short stretch: of a bare write that is made durable, of an
// intent on the same disk, and of a signature.
type medians struct{ plain, intent, sign time.Duration }

func ratio(m medians) float64  { return float64(m.intent) / float64(m.plain) }
func beside(m medians) float64 { return float64(m.intent-m.plain) / float64(m.sign) }

// best is the worst value of the best quarter of the stretches: what else runs on
// the machine disturbs some of them, in either direction.
func best(all []medians, of func(medians) float64) float64 {
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = of(m)
	}
	slices.Sort(values)
	return values[max(0, len(values)/4-1)]
}

// stretch is how many of each are measured, by turns, before their medians are
// taken.
const stretch = 25

// durations measures n of each, in stretches.
func durations(t testing.TB, disk func(Layer) Layer, n int) []medians {
	t.Helper()
	layer := disk(OSLayer(t.TempDir()))
	l := openLog(t, Options{Layer: layer})
	s := begin(t, l)
	f, err := layer.Open("bare", os.O_RDWR|os.O_CREATE|os.O_APPEND)
	must(t, err)
	defer f.Close()
	line := make([]byte, 900)
	var out []medians
	for range n / stretch {
		var all [3][]time.Duration
		measure := func(i int, do func()) {
			start := time.Now()
			do()
			all[i] = append(all[i], time.Since(start))
		}
		for i := range stretch {
			measure(0, func() {
				_, err := f.Write(line)
				must(t, errors.Join(err, f.Sync()))
			})
			var tok Token
			measure(1, func() { tok, err = s.Intent(t.Context(), edit(fmt.Sprint(i))) })
			must(t, err)
			measure(2, func() { s.key.signText(line) })
			must(t, s.Outcome(tok, Outcome{Status: OK}))
			// So that both begin with a clean disk.
			must(t, l.withLog(func(w *writer) error { return w.sync() }))
		}
		out = append(out, medians{median(all[0]), median(all[1]), median(all[2])})
	}
	must(t, l.Close())
	return out
}

// throughput is how many intents a second some writers get.
func throughput(t testing.TB, writers, n int) float64 {
	t.Helper()
	l := openLog(t, Options{Dir: t.TempDir()})
	s := begin(t, l)
	start := time.Now()
	var wait sync.WaitGroup
	for range writers {
		wait.Go(func() {
			for i := range n / writers {
				if _, err := s.Intent(t.Context(), edit(fmt.Sprint(i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	rate := float64(n) / time.Since(start).Seconds()
	must(t, l.Close())
	return rate
}

// verifyRate is how many signatures all cores check in a nanosecond.
func verifyRate() float64 {
	pub, key, _ := ed25519.GenerateKey(nil)
	msg := make([]byte, 600)
	sig := ed25519.Sign(key, msg)
	const each = 600
	start := time.Now()
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for range each {
				ed25519.Verify(pub, msg, sig)
			}
		})
	}
	wait.Wait()
	return float64(each*runtime.GOMAXPROCS(0)) / float64(time.Since(start))
}

// An exported is an export in a file.
type exported struct {
	path string
	key  PublicKey
	n    int
}

// longExport writes a log of about n records in sessions of a thousand.
func longExport(t testing.TB, n int) exported {
	t.Helper()
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	data := map[string]any{"provider": "local", "model": "some-model-with-a-long-name", "in": 12345, "out": 678, "note": string(make([]byte, 20))}
	for i := 0; i < n; {
		s := begin(t, l)
		for range min(1000, n-i) {
			i++
			must(t, s.Event(t.Context(), Event{Kind: "model", Title: "a call of the model, whose title is about as long as titles are", Data: data}))
		}
		closeSession(t, s)
	}
	path := filepath.Join(dir, "export.json")
	f, err := os.Create(path)
	must(t, err)
	out := bufio.NewWriter(f)
	_, err = l.Export(t.Context(), SessionInfo{Front: FrontCLI}, out, ExportOptions{})
	must(t, err)
	must(t, out.Flush())
	must(t, f.Close())
	must(t, l.Close())
	return exported{path, key(t, dir), n}
}

func verifyTime(t testing.TB, e exported, fast bool) time.Duration {
	t.Helper()
	f, err := os.Open(e.path)
	must(t, err)
	defer f.Close()
	st, err := f.Stat()
	must(t, err)
	start := time.Now()
	rep := Verify(t.Context(), f, st.Size(), VerifyOptions{Key: e.key, Fast: fast})
	took := time.Since(start)
	wantIntact(t, rep)
	if rep.Records < int64(e.n) {
		t.Fatalf("%d records", rep.Records)
	}
	return took
}

// verifyMemory is the most that the heap held while an export was verified, in
// MiB.
func verifyMemory(t testing.TB, e exported) float64 {
	t.Helper()
	runtime.GC()
	ctx, cancel := context.WithCancel(t.Context())
	most := make(chan uint64)
	go func() {
		var m runtime.MemStats
		top := uint64(0)
		for ctx.Err() == nil {
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapInuse+m.StackInuse)
			time.Sleep(2 * time.Millisecond)
		}
		most <- top
	}()
	verifyTime(t, e, false)
	cancel()
	return float64(<-most) / (1 << 20)
}

func BenchmarkIntent(b *testing.B) {
	l := openLog(b, Options{Dir: b.TempDir()})
	s := begin(b, l)
	for b.Loop() {
		if _, err := s.Intent(b.Context(), edit("a.go")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIntentWithoutDisk is what an intent costs beside the disk.
func BenchmarkIntentWithoutDisk(b *testing.B) {
	l := openLog(b, Options{Layer: noSync{OSLayer(b.TempDir())}})
	s := begin(b, l)
	for b.Loop() {
		if _, err := s.Intent(b.Context(), edit("a.go")); err != nil {
			b.Fatal(err)
		}
	}
}

// slowSync is a disk that takes longer to answer.
type slowSync struct {
	Layer
	more time.Duration
}

func (l slowSync) Open(name string, flag int) (File, error) {
	f, err := l.Layer.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return slowFile{f, l.more}, nil
}

type slowFile struct {
	File
	more time.Duration
}

func (f slowFile) Sync() error {
	time.Sleep(f.more)
	return f.File.Sync()
}

type noSync struct{ Layer }

func (l noSync) Open(name string, flag int) (File, error) {
	f, err := l.Layer.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return noSyncFile{f}, nil
}

type noSyncFile struct{ File }

func (noSyncFile) Sync() error { return nil }

func BenchmarkVerify(b *testing.B) {
	e := longExport(b, 20_000)
	for name, fast := range map[string]bool{"full": false, "fast": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				verifyTime(b, e, fast)
			}
			b.ReportMetric(float64(e.n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
