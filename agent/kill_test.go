package agent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/session"
)

// Of the child process that dies: where it works and at which step.
const (
	killDir  = "AGENT_TEST_KILL_DIR"
	killStep = "AGENT_TEST_KILL_STEP"
)

// killed is a task with a read, an edit and a command that counts its runs.
var killed = []step{
	{Say: "I look.", Calls: []call{{"read_file", map[string]any{"path": "calc.sh"}}}},
	{Say: "I mend.", Calls: []call{{"str_replace", map[string]any{"path": "calc.sh", "old_str": "a - b", "new_str": "a + b"}}}},
	{Say: "I test.", Calls: []call{{"execute_command", map[string]any{"command": "echo ran >> runs.log"}}}},
	{Say: "Done."},
}

const calcBefore, calcAfter = "echo $((a - b))\n", "echo $((a + b))\n"

// TestKillChild is the process that dies. It does nothing unless it is started
// by TestKilledAtEachStep.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		return
	}
	at, err := strconv.Atoi(os.Getenv(killStep))
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	r := newRigAt(t, dir, killed, func(o *Options) {
		encrypted(o, at)
		o.Step = func(string) {
			if steps++; steps == at {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	})
	r.person = yes
	r.start("")
	r.turn("mend it")
	r.stop()
}

// encrypted makes every second story one of an encrypted session.
func encrypted(o *Options, at int) {
	if at%2 == 0 {
		o.Store = o.Store.With("a key of eight bytes")
	}
}

// TestKilledAtEachStep kills the process at every step of the road, resumes,
// and looks for what was lost, done twice or left without evidence.
func TestKilledAtEachStep(t *testing.T) {
	const steps = 18 // three calls with six steps each
	for at := 1; at <= steps+1; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			dir := t.TempDir()
			r := newRigAt(t, dir, []step{{Say: "I see where I was."}}, func(o *Options) { encrypted(o, at) })
			r.write("calc.sh", calcBefore)
			cmd := exec.Command(os.Args[0], "-test.run=^TestKillChild$")
			cmd.Env = append(os.Environ(), killDir+"="+dir, killStep+"="+strconv.Itoa(at))
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			died := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
			if died != (at <= steps) {
				t.Fatalf("died = %v: %v\n%s", died, err, out)
			}
			before, ran := r.read("calc.sh"), strings.Count(r.read("runs.log"), "ran")
			resumeAfterKill(t, r)
			if after := r.read("calc.sh"); after != before || (after != calcBefore && after != calcAfter) {
				t.Errorf("calc.sh was %q and is %q", before, after)
			}
			if again := strings.Count(r.read("runs.log"), "ran"); again != ran || again > 1 {
				t.Errorf("the command ran %d times, and %d times after the resume", ran, again)
			}
			r.verify()
		})
	}
}

func resumeAfterKill(t *testing.T, r *rig) {
	t.Helper()
	id, err := r.opts.Store.Latest(r.root)
	if err != nil {
		t.Fatal(err)
	}
	r.start(id)
	state, err := r.session.State()
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Open) > 0 || state.TurnOpen {
		t.Errorf("left open: %+v, turn %v", state.Open, state.TurnOpen)
	}
	checkRecovered(t, r, state)
	if end := r.turn("go on"); end.Status != "done" {
		t.Errorf("the next turn ended %+v", end)
	}
	r.stop()
	if open := unanswered(state); len(open) > 0 {
		t.Errorf("calls without a result: %+v", open)
	}
}

// checkRecovered holds what the resume says of each call against the files.
func checkRecovered(t *testing.T, r *rig, s session.State) {
	t.Helper()
	for _, m := range s.Messages {
		if m.Call == nil || !m.Call.Recovered {
			continue
		}
		c := *m.Call
		switch c.Tool {
		case "str_replace":
			done := r.read("calc.sh") == calcAfter
			if (c.Status == "ok") != done || (c.Status == "not_run") == done {
				t.Errorf("the edit is said to be %q, and the file is %q", c.Status, r.read("calc.sh"))
			}
		case "execute_command":
			if c.Status == "not_run" && r.read("runs.log") != "" {
				t.Error("a command that ran is said not to have run")
			}
		case "read_file":
			if c.Body == "" || strings.Contains(c.Body, "echo") {
				t.Errorf("a read whose result was lost is said to be %q", c.Body)
			}
		}
	}
}
