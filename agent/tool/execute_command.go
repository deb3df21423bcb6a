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
	Timeout *int     `json:"timeout,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`

	Background bool `json:"background,omitempty"`
}

// A commandPlan is what Plan leaves for Run: how it is run, what is to be said
// of its time limit, and what the command is worth as a check.
type commandPlan struct {
	Background bool   `json:"background,omitempty"`
	Note       string `json:"note,omitempty"`
	Tests      bool   `json:"tests,omitempty"`
	Check      bool   `json:"check,omitempty"`
}

// usualSeconds is the time limit of a command that names none: the person's
// setting.
const usualSeconds = 0

// Spec implements Tool.
func (executeCommand) Spec() Spec {
	return Spec{
		Name: "execute_command", Aliases: []string{"bash", "shell", "run", "run_command", "exec"}, Category: "shell", Small: true,
		Description: "Run a command with bash in the sandbox: no network but the hosts asked for, only the workspace and a private temporary folder can be written, no input, no terminal. " +
			"Each call is a new shell in the workspace. Use the file tools to read, search and edit.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["command"],"properties":{
			"command":{"type":"string","minLength":1,"description":"bash script"},
			"timeout":{"type":"integer","description":"seconds, 1 to 3600; default the user's, mostly 180, in the background 3600"},
			"background":{"type":"boolean","description":"return at once with a job's id; see the tool job"},
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
	usual := usualSeconds
	if a.Background {
		usual = mostSeconds
	}
	seconds, note := within(a.Timeout, usual)
	x, err := v.Command(ctx, CommandSpec{Script: a.Command, Dir: a.Dir, Seconds: seconds, Hosts: a.Hosts, Background: a.Background})
	if err != nil {
		return effect.Set{}, err
	}
	plan := commandPlan{Background: a.Background, Note: note}
	if plan.Tests, plan.Check, err = tested(ctx, v, a.Command, x); err != nil {
		return effect.Set{}, err
	}
	title := "run "
	if a.Background {
		title = "run in the background "
	}
	return set(t.Spec(), title+firstLine(a.Command), plan, x), nil
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
	var a commandPlan
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	if a.Background {
		return inBackground(ctx, e, planned, a.Note)
	}
	x, err := start(ctx, e, planned.Effects[0])
	if err != nil {
		return failed("run", err)
	}
	r := ended(x, planned.Effects[0])
	r.Body += a.Note
	r.Tests, r.Check = a.Tests, a.Check
	return r, nil
}

// inBackground starts a command and does not wait for it.
func inBackground(ctx context.Context, e Env, planned effect.Set, note string) (Result, error) {
	id, err := e.Start(ctx, planned.Effects[0])
	if err != nil {
		return failed("start", err)
	}
	return Result{Status: Running, Body: fmt.Sprintf("the job %s runs: the tool job shows its output, waits for it or kills it. It ends with the session.\n%s", id, note)}, nil
}

// Ended is the result of a command that ran to its end, or of one that could
// not be started.
func Ended(x Exit, err error) Result {
	if err != nil {
		return Result{Status: Error, Body: err.Error()}
	}
	return ended(x, effect.Effect{})
}

// start runs a command's effect, which can be a git call.
func start(ctx context.Context, e Env, x effect.Effect) (Exit, error) {
	if x.Kind == effect.Git {
		return e.Git(ctx, x)
	}
	return e.Exec(ctx, x)
}

// ended is the result of a command that was run, which e planned.
func ended(x Exit, e effect.Effect) Result {
	r := Result{Status: OK, Exit: &x.Code, Signal: x.Signal, Changes: x.Changes, Untrusted: fromCommand, Found: x.Findings}
	var b strings.Builder
	out := tidy(string(x.Output))
	b.WriteString(out)
	if n := len(out); n > 0 && out[n-1] != '\n' {
		b.WriteByte('\n')
	}
	if out == "" {
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
		b.WriteString(timedOut(e))
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
		fmt.Fprintf(&b, "[found after the run: %s]\n", line)
	}
	if x.Snapshot != "" {
		fmt.Fprintf(&b, "[what could have been lost was kept as %s]\n", x.Snapshot)
	}
	r.Body = b.String()
	return r
}

// tidy is output as a model reads it: of a line that a program wrote over and
// over with carriage returns, as progress bars do, the last state is left, and
// the sequences that steer a terminal are gone.
func tidy(out string) string {
	out = strings.ReplaceAll(out, "\r\n", "\n")
	if !strings.ContainsAny(out, "\r\x1b\b") {
		return out
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(out, "\n") {
		body, end := line, ""
		if strings.HasSuffix(line, "\n") {
			body, end = line[:len(line)-1], "\n"
		}
		body = strings.TrimRight(unsteered(body), "\r")
		b.WriteString(body[strings.LastIndexByte(body, '\r')+1:] + end)
	}
	return b.String()
}

// unsteered leaves out escape sequences: ESC [ … letter, ESC ] … BEL or ESC \,
// and ESC with one character.
func unsteered(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		switch {
		case strings.HasPrefix(s, "["):
			s = s[1:]
			for s != "" && (s[0] < 0x40 || s[0] > 0x7e) {
				s = s[1:]
			}
			s = s[min(len(s), 1):]
		case strings.HasPrefix(s, "]"):
			end := strings.IndexAny(s, "\a\x1b")
			if end < 0 {
				return b.String()
			}
			if s[end] == '\x1b' && strings.HasPrefix(s[end+1:], "\\") {
				end++
			}
			s = s[end+1:]
		case s != "":
			s = s[1:]
		}
	}
}
