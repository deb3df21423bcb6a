// Command tally runs `go test -race -json ./...` and says what came of it: the
// output of what failed, each skipped test with its reason, and as the last
// line `N passed, N failed, N skipped`. It is part of ./test, not of the
// product.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
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

func main() {
	args := append([]string{"test", "-race", "-json"}, os.Args[1:]...)
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	t := &tally{out: os.Stdout, output: map[key][]string{}}
	began := time.Now()
	readErr := t.read(pipe)
	waitErr := cmd.Wait()
	t.report(time.Since(began))
	if readErr != nil || waitErr != nil || t.failed > 0 || t.passed == 0 {
		os.Exit(1)
	}
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

func short(pkg string) string { return strings.TrimPrefix(pkg, "github.com/tera-pilot/tera-pilot/") }

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
