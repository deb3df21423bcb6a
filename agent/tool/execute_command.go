package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type executeCommand struct{}

type commandArgs struct {
	Command string   `json:"command"`
	Timeout int      `json:"timeout,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
}

const defaultSeconds = 180

// Spec implements Tool.
func (executeCommand) Spec() Spec {
	return Spec{
		Name: "execute_command", Aliases: []string{"bash", "shell", "run", "run_command", "exec"}, Category: "shell", Small: true,
		Description: "Run a command with bash in the sandbox: no network but the hosts asked for, only the workspace and a private temporary folder can be written, no input, no terminal. " +
			"Each call is a new shell in the workspace. Use the file tools to read, search and edit.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["command"],"properties":{
			"command":{"type":"string","minLength":1,"description":"bash script"},
			"timeout":{"type":"integer","minimum":1,"maximum":3600,"description":"seconds, default 180"},
			"dir":{"type":"string","minLength":1,"description":"folder to run in, default the workspace"},
			"hosts":{"type":"array","maxItems":16,"items":{"type":"string","minLength":1},"description":"host or host:port names to reach over https, each approved; default none"}}}`),
	}
}

// Plan implements Tool.
func (t executeCommand) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a commandArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if strings.TrimSpace(a.Command) == "" {
		return effect.Set{}, &ArgumentError{"command is empty"}
	}
	if a.Timeout == 0 {
		a.Timeout = defaultSeconds
	}
	x, err := v.Command(ctx, CommandSpec{Script: a.Command, Dir: a.Dir, Seconds: a.Timeout, Hosts: a.Hosts})
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "run "+firstLine(a.Command), commandArgs{Timeout: a.Timeout}, x), nil
}

// firstLine is a command's title: its first line, and how much more there is.
func firstLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	title := clip(strings.TrimSpace(lines[0]), 200)
	if len(lines) > 1 {
		title += fmt.Sprintf(" … (%d lines)", len(lines))
	}
	return title
}

// Run implements Tool.
func (executeCommand) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runCommand(ctx, e, planned)
}

// runCommand runs the one command of a plan and tells how it ended.
func runCommand(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a commandArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	x, err := start(ctx, e, planned.Effects[0])
	if err != nil {
		return failed("run", err)
	}
	return ended(x, a.Timeout), nil
}

// start runs a command's effect, which can be a git call.
func start(ctx context.Context, e Env, x effect.Effect) (Exit, error) {
	if x.Kind == effect.Git {
		return e.Git(ctx, x)
	}
	return e.Exec(ctx, x)
}

// ended is the result of a command that was run.
func ended(x Exit, seconds int) Result {
	r := Result{Status: OK, Exit: &x.Code, Signal: x.Signal, Changes: x.Changes, Untrusted: fromCommand}
	var b strings.Builder
	b.Write(x.Output)
	if n := len(x.Output); n > 0 && x.Output[n-1] != '\n' {
		b.WriteByte('\n')
	}
	if n := len(x.Output); n == 0 {
		b.WriteString("[no output]\n")
	}
	if x.Dropped > 0 {
		fmt.Fprintf(&b, "[%s of further output were not kept]\n", size(x.Dropped))
	}
	switch {
	case x.Cancelled:
		r.Status = Cancelled
		b.WriteString("[cancelled]\n")
	case x.TimedOut:
		r.Status = Timeout
		b.WriteString(timedOut(seconds))
	case x.Signal != "":
		r.Status = Error
		fmt.Fprintf(&b, "[ended by signal: %s]\n", x.Signal)
	case x.Code != 0:
		r.Status = Error
		fmt.Fprintf(&b, "[exit code %d]\n", x.Code)
	}
	for _, line := range x.Hints {
		fmt.Fprintf(&b, "[sandbox: %s]\n", line)
	}
	for _, line := range x.Findings {
		fmt.Fprintf(&b, "[put right after the run: %s]\n", line)
	}
	if x.Snapshot != "" {
		fmt.Fprintf(&b, "[what could have been lost was kept as %s]\n", x.Snapshot)
	}
	r.Body = b.String()
	return r
}

func timedOut(seconds int) string {
	if seconds == 0 {
		return "[timed out and was ended]\n"
	}
	return fmt.Sprintf("[timed out after %d s and was ended; give a longer timeout (up to 3600), or do less at once]\n", seconds)
}
