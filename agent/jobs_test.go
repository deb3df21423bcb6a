package agent

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
)

func background(command string) call {
	return call{"execute_command", map[string]any{"command": command, "background": true}}
}

func jobCall(action, id string, more map[string]any) call {
	args := map[string]any{"action": action}
	if id != "" {
		args["id"] = id
	}
	for k, v := range more {
		args[k] = v
	}
	return call{"job", args}
}

// ends are the last standings of a session's jobs.
func (r *rig) ends() map[string]string {
	out := map[string]string{}
	for _, j := range must(r.session.State()).Jobs {
		out[j.Job] = j.Status
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// outcomes are the statuses of the audit log's outcomes, by the tool, sorted.
func (r *rig) outcomes(tool string) []audit.Status {
	r.t.Helper()
	in, err := audit.OpenReader(r.t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []audit.Status
	for e, err := range in.Entries(r.t.Context(), audit.Filter{}) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Tool == tool && e.Status != "" {
			out = append(out, e.Status)
		}
	}
	slices.Sort(out)
	return out
}

// A command in the background says what it prints, is waited for, and has one
// outcome, which is written when it ends.
func TestJob(t *testing.T) {
	r := newRig(t, []step{
		{Calls: []call{background("echo begun; until [ -e go ]; do sleep 0.02; done; echo ended; exit 3")}},
		{Calls: []call{jobCall("wait", "j1", map[string]any{"seconds": 1}), jobCall("list", "", nil), {"execute_command", map[string]any{"command": "touch go"}}}},
		{Calls: []call{jobCall("wait", "j1", map[string]any{"seconds": 60}), jobCall("output", "j1", map[string]any{"since": 6}), jobCall("output", "j9", nil)}},
		{Say: "done"},
	}, nil)
	r.person = yes
	r.start("")
	r.turn("go")
	res := r.results()
	for i, want := range []string{
		"the job j1 runs", "j1 is running; its output has 6 bytes\nbegun", "j1\trunning", "",
		"j1 is error, exit code 3; its output has 12 bytes\nbegun\nended", "\nended", `there is no job "j9": there are j1`,
	} {
		if !strings.Contains(res[i].Body, want) {
			t.Errorf("result %d: %q, want %q", i, res[i].Body, want)
		}
	}
	if res[0].Status != "running" || res[1].Untrusted != "command" || strings.Contains(res[5].Body, "begun") {
		t.Errorf("%+v", res)
	}
	r.stop()
	if got := fmt.Sprint(r.outcomes("execute_command")); got != "[error ok]" {
		t.Errorf("outcomes %s", got)
	}
	r.verify()
}

// Stopping a turn leaves its jobs, a person or the model ends one, and what is
// left ends with the session.
func TestJobsEndWithTheSession(t *testing.T) {
	r := newRig(t, []step{
		{Calls: []call{background("sleep 600"), background("sleep 601"), background("sleep 602"), jobCall("kill", "j2", nil)}},
		{Say: "done"},
	}, nil)
	r.person = yes
	r.start("")
	r.turn("go")
	if err := r.session.Send(event.Cancel{}); err != nil {
		t.Fatal(err)
	}
	if got := r.ends(); got["j1"] != "running" || got["j2"] != "cancelled" || got["j3"] != "running" {
		t.Errorf("after the turn: %v", got)
	}
	if err := r.session.Send(event.StopJob{Job: "j3"}); err != nil {
		t.Fatal(err)
	}
	for r.ends()["j3"] == "running" {
		time.Sleep(5 * time.Millisecond)
	}
	r.stop()
	if got := fmt.Sprint(r.outcomes("execute_command")); got != "[cancelled cancelled cancelled]" {
		t.Errorf("outcomes %s", got)
	}
	state := foldStored(t, r)
	for _, j := range state.Jobs {
		if j.Status != "cancelled" {
			t.Errorf("%+v", j)
		}
	}
	r.verify()
}

// A flood of jobs stops at the bound, and a job that floods its output keeps
// the newest of it.
func TestJobFlood(t *testing.T) {
	var calls []call
	calls = append(calls, background("i=0; while [ $i -lt 60000 ]; do echo line number $i of a job that floods its output; i=$((i+1)); done; echo the end"))
	for i := range maxJobs + 2 {
		calls = append(calls, background(fmt.Sprintf("sleep %d", 600+i)))
	}
	r := newRig(t, []step{{Calls: calls}, {Calls: []call{jobCall("wait", "j1", map[string]any{"seconds": 120}), jobCall("output", "j1", nil)}}, {Say: "done"}}, nil)
	r.person = yes
	r.start("")
	r.turn("go")
	running, refused := 0, 0
	for _, res := range r.results()[:len(calls)] {
		switch {
		case res.Status == "running":
			running++
		case strings.Contains(res.Body, "more may not"):
			refused++
		}
	}
	if running < maxJobs || refused == 0 || running+refused != len(calls) {
		t.Errorf("%d run, %d were refused", running, refused)
	}
	last := r.results()[len(calls)+1]
	if !strings.Contains(last.Body, "the end") || !strings.Contains(last.Body, "are not kept any more") || len(last.Body) > 2*outputLimit {
		t.Errorf("%d bytes: %.200s", len(last.Body), last.Body)
	}
	r.stop()
	r.verify()
}

// A secret in a job's output reaches nobody, whatever offset is asked for.
func TestJobMasksSecrets(t *testing.T) {
	const key = "tp-a-secret-that-was-registered-0123456789"
	calls := []call{background("printf 'key=tp-a-secret-that-was-'; sleep 0.2; echo registered-0123456789 end"), jobCall("wait", "j1", map[string]any{"seconds": 60})}
	for since := range 30 {
		calls = append(calls, jobCall("output", "j1", map[string]any{"since": since}))
	}
	r := newRig(t, []step{{Calls: calls}, {Say: "done"}}, func(o *Options) { o.Redactor.Add(key) })
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	for _, e := range r.events {
		text := fmt.Sprint(e.Body)
		if _, isDelta := e.Body.(event.OutputDelta); isDelta || strings.HasPrefix(text, "{") {
			if strings.Contains(text, "registered-0123") && !strings.Contains(text, "sleep 0.2") {
				t.Errorf("a part of the secret is in %s: %.300s", e.Body.Type(), text)
			}
		}
	}
}

// TestJobChild is the process that dies with a job.
func TestJobChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" || os.Getenv(killStep) != "job" {
		return
	}
	r := newRigAt(t, dir, []step{{Calls: []call{background("while true; do date +%s%N > beat; sleep 0.02; done")}}, {Say: "done"}}, nil)
	r.person = yes
	r.start("")
	r.turn("go")
	for r.read("beat") == "" {
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println("READY")
	select {}
}

// After kill -9 of the agent no job lives on; its fate is unknown in both
// logs, and it is not begun again.
func TestNoJobOutlivesTheAgent(t *testing.T) {
	dir := t.TempDir()
	r := newRigAt(t, dir, []step{{Say: "I see."}}, nil)
	cmd := exec.Command(os.Args[0], "-test.run=^TestJobChild$")
	cmd.Env = append(os.Environ(), killDir+"="+dir, killStep+"=job")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf, got := make([]byte, 4096), ""
	for !strings.Contains(got, "READY") {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("the child ended: %q, %v", got, err)
		}
		got += string(buf[:n])
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	deadline := time.Now().Add(20 * time.Second)
	for last := r.read("beat"); ; {
		time.Sleep(300 * time.Millisecond)
		now := r.read("beat")
		if now == last {
			break
		}
		if last = now; time.Now().After(deadline) {
			t.Fatal("the job lives on")
		}
	}
	id := must(r.opts.Store.List())[0].ID
	r.start(id)
	if got := r.ends()["j1"]; got != "unknown" {
		t.Errorf("the job is %s", got)
	}
	r.turn("where were we?")
	r.stop()
	if got := fmt.Sprint(r.outcomes("execute_command")); got != "[unknown]" {
		t.Errorf("outcomes %s", got)
	}
	r.verify()
}

func foldStored(t *testing.T, r *rig) session.State {
	t.Helper()
	id := must(r.opts.Store.List())[0].ID
	return session.Fold(must(r.opts.Store.Read(id)))
}

// TestTheFirstBuildSaysWhyItTakesLong: while a command fills an empty cache, and
// not longer.
func TestTheFirstBuildSaysWhyItTakesLong(t *testing.T) {
	fill := call{"execute_command", map[string]any{"command": `mkdir -p "$GOCACHE" && echo x > "$GOCACHE/x" && sleep 3`}}
	r := newRig(t, []step{{Calls: []call{fill}}, {Say: "done"}}, nil)
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	var said []string
	for _, e := range r.events {
		if b, ok := e.Body.(event.Working); ok && (b.Says != "" || len(said) > 0) {
			said = append(said, b.Says)
		}
	}
	if len(said) < 2 || !strings.Contains(said[0], "first go command here") || said[1] != "" {
		t.Errorf("%q", said)
	}
}
