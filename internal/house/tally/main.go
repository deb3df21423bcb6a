// Command tally runs all tests and says what came of it: the output of what
// failed, each skipped test with its reason, and as the last line
// `N passed, N failed, N skipped`. The race detector looks at everything but
// the pure packages, which start no goroutine and would take ten times as long;
// what is tested in full without it is named by `alone`. It is part of ./test,
// not of the product.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// record is one line of test2json.
type record struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// key names a test, or a package when there is no test.
type key struct{ pkg, test string }

// tally counts tests and keeps the output of those that are still running.
type tally struct {
	out                     io.Writer
	output                  map[key][]string
	passed, failed, skipped int
	skips                   []string
}

// alone are tested without the race detector: pure packages, and the one that
// cuts every reply at every byte, of which the detector sees a share.
var alone = []string{
	"./agent/effect", "./agent/gate", "./agent/model", "./agent/model/mend", "./commandpolicy", "./contrib/release", "./guardian", "./internal/visible",
}

// pure are those of alone that the race detector need not see at all.
var pure = []string{"/agent/effect", "/agent/gate", "/agent/model/mend", "/commandpolicy", "/contrib/release", "/guardian", "/internal/visible"}

// whole are the tests that are short under the race detector, as they would
// take minutes: in full without it.
var whole = []string{"-run", "^(TestTenThousandTurns|TestHugeFilesAreDiffedInLinearTime)$", "./agent"}

func main() {
	raced, err := packages()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	t := &tally{out: os.Stdout, output: map[key][]string{}}
	began := time.Now()
	first := t.run(append(append([]string{"test", "-json"}, os.Args[1:]...), alone...))
	second := t.run(append(append([]string{"test", "-race", "-json"}, os.Args[1:]...), raced...))
	third := t.run(append(append([]string{"test", "-json"}, os.Args[1:]...), whole...))
	t.report(time.Since(began))
	if first != nil || second != nil || third != nil || t.failed > 0 || t.passed == 0 {
		os.Exit(1)
	}
}

// packages are those that the race detector looks at.
func packages() ([]string, error) {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(pkg string) bool {
		return slices.ContainsFunc(pure, func(p string) bool { return strings.HasSuffix(pkg, module+p) })
	}), nil
}

// run runs one go command and takes what it says.
func (t *tally) run(args []string) error {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(t.read(pipe), cmd.Wait())
}

func (t *tally) read(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			t.take(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) take(line []byte) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintf(t.out, "%s", line) // the go command's own words
		return
	}
	k := key{r.Package, r.Test}
	switch r.Action {
	case "output", "build-output":
		t.output[k] = append(t.output[k], r.Output)
	case "pass", "fail", "skip", "build-fail":
		t.end(k, r)
		delete(t.output, k)
	}
}

func (t *tally) end(k key, r record) {
	switch {
	case r.Action == "build-fail":
		t.failed++
		fmt.Fprint(t.out, strings.Join(t.output[k], ""))
	case k.test == "":
		t.endPackage(k, r)
	case r.Action == "pass":
		t.passed++
	case r.Action == "skip":
		t.skipped++
		t.skips = append(t.skips, fmt.Sprintf("%s %s: %s", short(k.pkg), k.test, reason(t.output[k])))
	case r.Action == "fail":
		t.failed++
		fmt.Fprintf(t.out, "FAIL %s %s\n%s", short(k.pkg), k.test, strings.Join(t.output[k], ""))
	}
}

func (t *tally) endPackage(k key, r record) {
	if r.Action == "fail" {
		// A package can fail without a failing test: it did not build, it
		// panicked, or it ran out of time.
		t.failed++
		fmt.Fprintf(t.out, "FAIL %s\n%s", short(k.pkg), strings.Join(t.output[k], ""))
		return
	}
	if r.Action == "pass" {
		fmt.Fprintf(t.out, "ok   %-32s %6.1fs\n", short(k.pkg), r.Elapsed)
	}
}

func (t *tally) report(took time.Duration) {
	for _, s := range t.skips {
		fmt.Fprintln(t.out, "skipped:", s)
	}
	fmt.Fprintf(t.out, "%s\n%d passed, %d failed, %d skipped\n", took.Round(time.Second), t.passed, t.failed, t.skipped)
}

const module = "github.com/tera-pilot/tera-pilot"

func short(pkg string) string { return strings.TrimPrefix(pkg, module+"/") }

// reason is the text that t.Skip printed.
func reason(output []string) string {
	for i := len(output) - 1; i >= 0; i-- {
		line := strings.TrimSpace(output[i])
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			return line
		}
	}
	return "no reason given"
}
