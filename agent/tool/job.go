package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type job struct{}

type jobArgs struct {
	Action  string `json:"action"`
	ID      string `json:"id,omitempty"`
	Since   int    `json:"since,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
}

// What can be asked of commands in the background.
const (
	JobList   = "list"
	JobOutput = "output"
	JobWait   = "wait"
	JobKill   = "kill"
)

// JobQuery asks about a command in the background.
type JobQuery struct {
	Action  string
	ID      string
	Since   int64 // bytes of its output that are known already
	Seconds int   // how long JobWait waits at most
}

// JobState is where a command in the background stands.
type JobState struct {
	ID, Title, Status string // Status is running, or that of its outcome
	Exit              *int
	Signal            string
	Output            string // from From on, masked
	From, To          int64  // of the whole output, in bytes
	Lost              int64  // bytes before From that were asked for and are not kept any more
}

// Spec implements Tool.
func (job) Spec() Spec {
	return Spec{
		Name: "job", Aliases: []string{"bash_output", "kill_bash", "job_output", "background_job"}, Category: "shell", Free: true,
		Description: "Look after commands that execute_command started with background: list them, read the output since an offset, wait for the end, or kill one.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["action"],"properties":{
			"action":{"type":"string","enum":["list","output","wait","kill"]},
			"id":{"type":"string","minLength":1,"description":"the job, such as j1; not for list"},
			"since":{"type":"integer","minimum":0,"description":"leave out the first bytes of the output, default 0"},
			"seconds":{"type":"integer","minimum":1,"maximum":600,"description":"for wait: at most so long, default 30"}}}`),
	}
}

// Plan implements Tool. A session's own jobs are nobody else's: to read or to
// end one has no effect that was not decided about when it began.
func (t job) Plan(_ context.Context, _ View, args json.RawMessage) (effect.Set, error) {
	var a jobArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if a.ID == "" && a.Action != JobList {
		return effect.Set{}, &ArgumentError{"job: id is missing: the action list shows the jobs there are"}
	}
	if a.Seconds == 0 {
		a.Seconds = 30
	}
	return set(t.Spec(), strings.TrimSpace("job: "+a.Action+" "+clip(a.ID, 20)), a), nil
}

// Run implements Tool.
func (job) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a jobArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	states, err := e.Job(ctx, JobQuery{Action: a.Action, ID: a.ID, Since: int64(a.Since), Seconds: a.Seconds})
	if err != nil {
		return failed("job", err)
	}
	if a.Action == JobList {
		return jobList(states), nil
	}
	s := states[0]
	r := Result{Status: OK, Untrusted: fromCommand}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s", s.ID, s.Status)
	if s.Exit != nil {
		fmt.Fprintf(&b, ", exit code %d", *s.Exit)
	}
	if s.Signal != "" {
		fmt.Fprintf(&b, ", signal %s", s.Signal)
	}
	fmt.Fprintf(&b, "; its output has %d bytes\n", s.To)
	if s.Lost > 0 {
		fmt.Fprintf(&b, "[%s before this are not kept any more]\n", size(s.Lost))
	}
	if s.Output == "" {
		b.WriteString("[no output since " + fmt.Sprint(s.From) + "]\n")
	}
	b.WriteString(tidy(s.Output))
	r.Body = b.String()
	return r, nil
}

func jobList(states []JobState) Result {
	if len(states) == 0 {
		return Result{Status: OK, Body: "no command was started in the background\n"}
	}
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintf(&b, "%s\t%s\t%d bytes\t%s\n", s.ID, s.Status, s.To, s.Title)
	}
	return Result{Status: OK, Body: b.String()}
}
