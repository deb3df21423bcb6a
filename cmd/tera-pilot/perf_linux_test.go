package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
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

// A seat is a terminal with a program in it, and a watch on what is written.
type seat struct {
	*termtest.Process
	watch
	tb    testing.TB
	cmd   *exec.Cmd
	began time.Time
}

// sit starts a program and waits for its first frame.
func sit(tb testing.TB, cmd *exec.Cmd) (*seat, time.Duration) {
	tb.Helper()
	s := &seat{tb: tb, cmd: cmd}
	shown := s.wait("[=]")
	s.began = time.Now()
	s.Process = termtest.Start(tb, cmd, 100, 30)
	s.Record(s.take)
	return s, s.since(s.began, shown)
}

func (s *seat) since(began time.Time, shown <-chan time.Time) time.Duration {
	s.tb.Helper()
	select {
	case at := <-shown:
		return at.Sub(began)
	case <-time.After(time.Minute):
		s.tb.Fatalf("nothing came:\n%s", s.Text())
		return 0
	}
}

// until waits until the screen shows a text.
func (s *seat) until(text string) {
	s.tb.Helper()
	for end := time.Now().Add(3 * time.Minute); !strings.Contains(s.Text(), text); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.tb.Fatalf("%q never came up:\n%s", text, s.Text())
		}
	}
}

// echo is how long a key takes to the screen. No sequence of a terminal has it.
func (s *seat) echo() time.Duration {
	s.tb.Helper()
	shown, began := s.wait("Ж"), time.Now()
	s.Type("Ж")
	return s.since(began, shown)
}

// leave ends the program with nothing in its composer.
func (s *seat) leave() {
	s.Key("ctrl+u", "ctrl+d")
	s.WaitExit()
}

// cpu is what the program has used so far, resident what it holds, in MB.
func (s *seat) cpu() time.Duration {
	s.tb.Helper()
	_, stat, _ := strings.Cut(s.proc("stat"), ") ")
	var user, system int64
	fields := strings.Fields(stat)
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		s.tb.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (s *seat) resident() int {
	s.tb.Helper()
	_, rest, _ := strings.Cut(s.proc("status"), "VmRSS:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		s.tb.Fatal(err)
	}
	return kb >> 10
}

func (s *seat) proc(name string) string {
	s.tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, name))
	if err != nil {
		s.tb.Fatal(err)
	}
	return string(text)
}

// A launched is what one start took.
type launched struct{ frame, echo, cpu time.Duration }

// start measures from the start of a program to its first frame and to the
// first key on the screen.
func start(tb testing.TB, cmd *exec.Cmd) (out launched) {
	tb.Helper()
	s, frame := sit(tb, cmd)
	out.frame = frame
	s.echo()
	out.echo = time.Since(s.began)
	s.leave()
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

// starts are n starts of a bare program and of ours, by turns.
func starts(tb testing.TB, n int) (plain, full []launched) {
	tb.Helper()
	hello, err := bare()
	if err != nil {
		tb.Fatal(err)
	}
	f, ours := newFolders(tb, `{"steps": [{"say": "x"}]}`), built(tb)
	for range n {
		plain, full = append(plain, start(tb, f.command(hello))), append(full, start(tb, f.command(ours)))
	}
	return plain, full
}

func (l launched) toFrame() time.Duration { return l.frame }
func (l launched) toEcho() time.Duration  { return l.echo }
func (l launched) used() time.Duration    { return l.cpu }

// BenchmarkStart is the start of the terminal, by turns with a bare program.
func BenchmarkStart(b *testing.B) {
	plain, full := starts(b, b.N)
	b.ReportMetric(ms(middle(plain, launched.toFrame)), "bare-frame-ms")
	b.ReportMetric(ms(middle(full, launched.toFrame)), "frame-ms")
	b.ReportMetric(float64(middle(full, launched.toFrame))/float64(middle(plain, launched.toFrame)), "x-frame")
	b.ReportMetric(ms(middle(plain, launched.toEcho)), "bare-echo-ms")
	b.ReportMetric(ms(middle(full, launched.toEcho)), "echo-ms")
	b.ReportMetric(float64(middle(full, launched.toEcho))/float64(middle(plain, launched.toEcho)), "x-echo")
	b.ReportMetric(ms(middle(full, launched.used)), "cpu-ms")
	b.ReportMetric(ms(middle(plain, launched.used)), "bare-cpu-ms")
}

// BenchmarkIdle is a terminal that nobody touches.
func BenchmarkIdle(b *testing.B) {
	f := newFolders(b, `{"steps": [{"say": "x"}]}`)
	s, _ := sit(b, f.command(built(b)))
	time.Sleep(3 * time.Second) // what belongs to the start
	written, _ := s.Written()
	used, began := s.cpu(), time.Now()
	for b.Loop() {
		time.Sleep(10 * time.Second)
	}
	used, after := s.cpu()-used, 0
	took := time.Since(began)
	after, _ = s.Written()
	b.ReportMetric(100*float64(used)/float64(took), "%-core")
	b.ReportMetric(float64(after-written), "bytes")
	b.ReportMetric(float64(s.resident()), "MB")
	s.leave()
}

// BenchmarkInit is what the packages do before main, in the words of the Go
// runtime: the best of each, since what else runs disturbs single ones.
func BenchmarkInit(b *testing.B) {
	best := map[string]float64{}
	for b.Loop() {
		cmd := exec.Command(built(b), "--version")
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			var pkg, at string
			var start, took float64
			if n, _ := fmt.Sscanf(line, "init %s @%f %s %f", &pkg, &start, &at, &took); n == 4 {
				if was, ok := best[pkg]; !ok || took < was {
					best[pkg] = took
				}
			}
		}
	}
	var sum float64
	for pkg, took := range best {
		sum += took
		if took >= 0.2 {
			b.Logf("%.2f ms %s", took, pkg)
		}
	}
	b.ReportMetric(sum, "init-ms")
}

// BenchmarkStream is 200 KB of Markdown, streamed in within ten seconds.
func BenchmarkStream(b *testing.B) {
	var text strings.Builder
	for n := 0; text.Len() < 200<<10; n++ {
		fmt.Fprintf(&text, "## Step %d\n\nThe literal scanner needs its **own** counter, see `scan.go`, because a tab inside of a string is one column wide.\n\n", n)
		if n%8 == 0 {
			text.WriteString("```go\nfunc (s *Scanner) column(at int) int { return at - s.line }\n```\n\n")
		}
	}
	script, err := json.Marshal(map[string]any{"steps": []any{map[string]any{"say": text.String() + "the end of it", "chunk": 690, "delay_ms": 33}}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f := newFolders(b, string(script))
		s, _ := sit(b, f.command(built(b)))
		time.Sleep(time.Second)
		written, _ := s.Written()
		used := s.cpu()
		end := s.wait("the end of it")
		s.Type("go\r")
		s.since(time.Now(), end)
		time.Sleep(200 * time.Millisecond)
		after, _ := s.Written()
		b.ReportMetric(float64(after-written)/float64(text.Len()), "x-bytes")
		b.ReportMetric((s.cpu() - used).Seconds(), "cpu-s")
		s.leave()
	}
}

// BenchmarkTurns is a long session that is opened again.
func BenchmarkTurns(b *testing.B) {
	for _, n := range []int{500, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFolders(b, `{"steps": [{"say": "x"}]}`)
			s, _ := sit(b, f.command(built(b), "--session", longSession(b, f, n)))
			s.until(fmt.Sprint("turn ", n))
			time.Sleep(2 * time.Second)
			var keys []time.Duration
			for b.Loop() {
				keys = append(keys, s.echo())
				time.Sleep(20 * time.Millisecond)
			}
			slices.Sort(keys)
			b.ReportMetric(ms(keys[len(keys)/2]), "echo-p50-ms")
			b.ReportMetric(ms(keys[len(keys)*99/100]), "echo-p99-ms")
			b.ReportMetric(float64(s.resident()), "MB")
			s.leave()
		})
	}
}

// BenchmarkRun is the program without a terminal: one reply of a model on
// loopback, and 50 calls one after the other, less that.
func BenchmarkRun(b *testing.B) {
	const calls = 50 // none like another: a model that goes in circles is stopped
	scripts := map[string]string{"read": `{"calls":[{"tool":"read_file","args":{"path":"%d.txt"}}]},`, "command": `{"calls":[{"tool":"execute_command","args":{"command":"true %d"}}]},`}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range []string{"reply", "read", "command"} {
			var steps strings.Builder
			for i := range calls {
				if scripts[name] != "" {
					fmt.Fprintf(&steps, scripts[name], i)
				}
			}
			took[name] = append(took[name], unattended(b, `{"steps":[`+steps.String()+`{"say":"done"}]}`, calls))
		}
	}
	middle := func(name string) time.Duration {
		return middle(took[name], func(d time.Duration) time.Duration { return d })
	}
	b.ReportMetric(ms(middle("reply")), "reply-ms")
	b.ReportMetric(ms(middle("read")-middle("reply"))/calls, "read-ms")
	b.ReportMetric(ms(middle("command")-middle("reply"))/calls, "command-ms")
}

// unattended is how long a run of a script takes, in a folder of so many files.
func unattended(tb testing.TB, script string, files int) time.Duration {
	tb.Helper()
	f := newFolders(tb, script)
	for i := range files {
		if err := os.WriteFile(filepath.Join(f.repo, fmt.Sprint(i, ".txt")), fmt.Appendln(nil, i), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	s, err := scenario.Load(f.script)
	if err != nil {
		tb.Fatal(err)
	}
	server, err := fakemodel.Start(s, fakemodel.Options{Cwd: f.repo})
	if err != nil {
		tb.Fatal(err)
	}
	defer server.Close()
	cmd := exec.Command(built(tb), "run", "--no-confirm", "--home", f.state, "--max-steps", "60", "go")
	cmd.Dir = f.repo
	cmd.Env = []string{"HOME=" + f.home, "PATH=" + os.Getenv("PATH"), "OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=sk-test-000000000000000000000000", "TERA_PILOT_MODEL=fake"}
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return time.Since(began)
}
