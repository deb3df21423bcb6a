package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// The real program, measured from outside. `./test perf` runs these with the
// benchmarks of the rooms and makes the table of docs/performance.md.

// bare is a program that does nothing but to show the last key.
var bare = sync.OnceValues(func() (string, error) {
	bin, err := binary()
	if err != nil {
		return "", err
	}
	bin = filepath.Join(filepath.Dir(bin), "bare")
	return bin, exec.Command("go", "build", "-o", bin, "../../tui/testdata/bench/bare").Run()
})

// folders are a home, a state folder and a repository, and a script of one reply.
type folders struct{ home, state, repo, script string }

func newFolders(tb testing.TB, script string) folders {
	tb.Helper()
	home := tb.TempDir()
	f := folders{home, filepath.Join(home, "state"), filepath.Join(home, "repo"), filepath.Join(home, "script.json")}
	for _, dir := range []string{f.state, f.repo} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(f.script, []byte(script), 0o600); err != nil {
		tb.Fatal(err)
	}
	return f
}

func (f folders) command(bin string, args ...string) *exec.Cmd {
	cmd := exec.Command(bin, append(args, "--provider", "scripted", "--script", f.script, "--home", f.state)...)
	cmd.Dir, cmd.Env = f.repo, []string{"HOME=" + f.home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	return cmd
}

// A watch knows when a text was written to a terminal.
type watch struct {
	mu   sync.Mutex
	want []byte
	seen []byte
	done chan time.Time
}

func (w *watch) wait(text string) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want, w.seen, w.done = []byte(text), nil, make(chan time.Time, 1)
	return w.done
}

func (w *watch) take(p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.want == nil {
		return
	}
	if w.seen = append(w.seen, p...); bytes.Contains(w.seen, w.want) {
		w.done <- time.Now()
		w.want = nil
	}
}

// A launched is what one start took.
type launched struct{ frame, echo, cpu time.Duration }

// start measures from the start of a program to its first frame and to the
// first key on the screen.
func start(tb testing.TB, cmd *exec.Cmd) launched {
	tb.Helper()
	var w watch
	frame := w.wait("[=]")
	began := time.Now()
	p := termtest.Start(tb, cmd, 100, 30)
	p.Record(w.take)
	var out launched
	wait := func(c <-chan time.Time) time.Duration {
		select {
		case at := <-c:
			return at.Sub(began)
		case <-time.After(20 * time.Second):
			tb.Fatalf("nothing came:\n%s", p.Text())
			return 0
		}
	}
	out.frame = wait(frame)
	echo := w.wait("Z")
	p.Type("Z")
	out.echo = wait(echo)
	p.Key("backspace", "ctrl+d")
	p.WaitExit()
	out.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return out
}

func middle[T any](all []T, of func(T) time.Duration) time.Duration {
	var d []time.Duration
	for _, a := range all {
		d = append(d, of(a))
	}
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// BenchmarkStart is the start of the terminal, in turns with a bare program.
func BenchmarkStart(b *testing.B) {
	f, ours := newFolders(b, `{"steps": [{"say": "x"}]}`), built(b)
	hello, err := bare()
	if err != nil {
		b.Fatal(err)
	}
	var plain, full []launched
	for b.Loop() {
		plain = append(plain, start(b, f.command(hello)))
		full = append(full, start(b, f.command(ours)))
	}
	frame, echo, cpu := func(l launched) time.Duration { return l.frame }, func(l launched) time.Duration { return l.echo }, func(l launched) time.Duration { return l.cpu }
	b.ReportMetric(ms(middle(plain, frame)), "bare-frame-ms")
	b.ReportMetric(ms(middle(full, frame)), "frame-ms")
	b.ReportMetric(float64(middle(full, frame))/float64(middle(plain, frame)), "x-frame")
	b.ReportMetric(ms(middle(plain, echo)), "bare-echo-ms")
	b.ReportMetric(ms(middle(full, echo)), "echo-ms")
	b.ReportMetric(float64(middle(full, echo))/float64(middle(plain, echo)), "x-echo")
	b.ReportMetric(ms(middle(full, cpu)), "cpu-ms")
	b.ReportMetric(ms(middle(plain, cpu)), "bare-cpu-ms")
}
