package audit_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/audit"
)

// childEnv tells this test binary to be a program that writes a log until it is
// killed, and prints the hash of each intent once it is acknowledged.
const childEnv = "TERA_PILOT_AUDIT_TEST_CHILD"

// runChild is that program.
func runChild() bool {
	dir := os.Getenv(childEnv)
	if dir == "" {
		return false
	}
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	l, err := audit.Open(ctx, audit.Options{Dir: dir})
	fail(err)
	s, err := l.Session(ctx, audit.SessionInfo{Front: audit.FrontRun, Session: "child"})
	fail(err)
	fmt.Println("ready")
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := 0; ; i++ {
				tok, err := s.Intent(ctx, audit.Intent{
					Category: audit.CategoryFile, Tool: "write_file", Title: "write", Args: []byte("{}"), Digest: [32]byte{1},
					Decision: audit.Allowed, By: audit.ByRule,
				})
				fail(err)
				mu.Lock()
				fmt.Println(tok.Hash())
				mu.Unlock()
				if i%5 > 0 {
					fail(s.Outcome(tok, audit.Outcome{Status: audit.OK}))
				}
			}
		})
	}
	wait.Wait()
	return true
}

// TestKilled kills a program that writes the log, again and again, and looks
// whether an intent that it had acknowledged is missing.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kills := 12
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		kills = 100
	}
	state := filepath.Join(t.TempDir(), "state")
	acked := map[string]bool{}
	for range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+state)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("the child is not ready: %q", lines.Text())
		}
		time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may have ended
		for lines.Scan() {
			if len(lines.Text()) == 64 { // the last line may be cut
				acked[lines.Text()] = true
			}
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended by itself: %v", err)
		}
	}
	settleAll(t, state)
	rep := verify(t, state, audit.VerifyOptions{})
	if !rep.OK {
		t.Fatalf("%+v", rep.FirstBad)
	}
	for _, w := range rep.Warnings {
		if w.Kind != "no-close" {
			t.Errorf("%+v", w)
		}
	}
	b := readSegments(t, state)
	lost := 0
	for hash := range acked {
		// Every intent was settled, by its process or for it, so its hash
		// stands in an outcome.
		if !strings.Contains(b, `"of":"`+hash+`"`) {
			lost++
		}
	}
	if lost > 0 || len(acked) < kills {
		t.Errorf("%d of %d acknowledged intents are lost", lost, len(acked))
	}
	t.Logf("%d kills, %d acknowledged intents, %d records", kills, len(acked), rep.Records)
}

// settleAll begins a session, as the next start does, and settles what the dead
// left open.
func settleAll(t *testing.T, state string) {
	t.Helper()
	l, err := audit.Open(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := l.Session(t.Context(), audit.SessionInfo{Front: audit.FrontRun})
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.OpenIntents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range open {
		if in.Session != "child" {
			t.Errorf("%+v", in)
		}
		if err := s.Settle(in, audit.Outcome{Status: audit.Unknown}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(audit.CloseOK); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, state string, o audit.VerifyOptions) audit.Report {
	t.Helper()
	r, err := audit.OpenReader(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	if o.Key, err = r.Key(); err != nil {
		t.Fatal(err)
	}
	return r.Verify(t.Context(), o)
}

func readSegments(t *testing.T, state string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state, "audit", "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// TestTwoProcesses lets two programs write one log, and kills one of them while
// it may hold the lock.
func TestTwoProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	var cmds []*exec.Cmd
	counts := make([]atomic.Int64, 2)
	least := int64(5)
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		least = 5_700 // acknowledged intents; with their outcomes, of four in five, 10,000 records each
	}
	var wait sync.WaitGroup
	for i := range 2 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+state)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
		wait.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				counts[i].Add(1)
			}
		})
	}
	for i, cmd := range cmds {
		for deadline := time.Now().Add(10 * time.Minute); counts[i].Load() <= least && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		_ = cmd.Process.Kill() // ours
	}
	wait.Wait()
	for _, cmd := range cmds {
		_ = cmd.Wait() // killed
	}
	for i := range counts {
		if n := counts[i].Load(); n <= least {
			t.Errorf("one of the two hardly wrote: %d", n)
		}
	}
	settleAll(t, state)
	rep := verify(t, state, audit.VerifyOptions{})
	if !rep.OK {
		t.Errorf("%+v", rep.FirstBad)
	}
	t.Logf("%d and %d acknowledged intents, %d records in one chain", counts[0].Load(), counts[1].Load(), rep.Records)
}
