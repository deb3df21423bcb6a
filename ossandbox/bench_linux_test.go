package ossandbox

import (
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkStart measures what the sandbox adds to /bin/true: bare, plain
// bubblewrap with the same namespaces and mounts, and ours, one after another
// in each round, so that what else the machine does hits all three. The
// figures are medians; the ratio is ours to plain bubblewrap, both less bare.
//
//	go test ./ossandbox -run - -bench Start -benchtime 300x
func BenchmarkStart(b *testing.B) {
	for _, p := range []Profile{Work(), Observe()} {
		b.Run(p.Name(), func(b *testing.B) { benchStart(b, p) })
	}
}

func benchStart(b *testing.B, p Profile) {
	s := newBox(b).Sandbox
	c := Command{Argv: []string{"/bin/true"}, Profile: p}
	plain := plainBwrap(b, s, c)
	var bare, same, ours []time.Duration
	measure := func(into *[]time.Duration, run func() error) {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		*into = append(*into, time.Since(start))
	}
	for b.Loop() {
		measure(&bare, func() error { return exec.Command("/bin/true").Run() })
		measure(&same, plain)
		measure(&ours, func() error { _, err := s.Run(b.Context(), c); return err })
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(bare)), "bare-ms")
	b.ReportMetric(ms(median(same)), "bwrap-ms")
	b.ReportMetric(ms(median(ours)), "ours-ms")
	b.ReportMetric(ms(median(ours)-median(bare)), "added-ms")
	b.ReportMetric(float64(median(ours)-median(bare))/float64(median(same)-median(bare)), "ratio")
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

// plainBwrap is bubblewrap by hand, with the same namespaces and mounts.
func plainBwrap(b *testing.B, s *Sandbox, c Command) func() error {
	v, err := newView(s, &c)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.keep.enter(nil); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.keep.leave() })
	if !v.writes {
		v.covers = nil
	}
	if v.covers, err = s.keep.standIns(v.covers); err != nil {
		b.Fatal(err)
	}
	list, contents := newPlan(s, &c, v).bwrapWords(-1, 0)
	if len(contents) > 0 {
		b.Fatal("the plan of a benchmark has copies")
	}
	args := splitWords(list)
	i := slices.Index(args, "--info-fd")
	args = append(slices.Delete(args, i, i+2), "--", "/bin/true")
	return func() error { return exec.Command(s.bwrap.path, args...).Run() }
}

func splitWords(list []byte) (words []string) {
	start := 0
	for i, c := range list {
		if c == 0 {
			words, start = append(words, string(list[start:i])), i+1
		}
	}
	return words
}

// BenchmarkSteps says where the time of a run goes, in medians.
func BenchmarkSteps(b *testing.B) {
	s := newBox(b).Sandbox
	var mu sync.Mutex
	var last time.Time
	var names []string
	steps := map[string][]time.Duration{}
	s.step = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		if steps[name] == nil {
			names = append(names, name)
		}
		steps[name] = append(steps[name], time.Since(last))
		last = time.Now()
	}
	for b.Loop() {
		last = time.Now()
		if _, err := s.Run(b.Context(), Command{Argv: []string{"/bin/true"}, Profile: Work()}); err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range names {
		b.Logf("%-36s %6.2f ms", n, float64(median(steps[n]))/float64(time.Millisecond))
	}
}
