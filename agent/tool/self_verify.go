package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type selfVerify struct{}

type verifyArgs struct {
	Check   string `json:"check,omitempty"`
	Timeout *int   `json:"timeout,omitempty"`
}

// checkSeconds is the time limit of a check that names none.
const checkSeconds = 600

// Spec implements Tool.
func (selfVerify) Spec() Spec {
	return Spec{
		Name: "self_verify", Aliases: []string{"verify", "run_tests", "test"}, Category: "verify",
		Description: "Run the project's own tests, as its files say (go.mod, package.json, Cargo.toml, Makefile, …), in the sandbox. " +
			"Do it after edits and before you report that the work is done.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"check":{"type":"string","minLength":1,"description":"one of the detected commands, default the most likely"},
			"timeout":{"type":"integer","description":"seconds, 1 to 3600, default 600"}}}`),
	}
}

// Plan implements Tool.
func (t selfVerify) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a verifyArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	checks, err := v.Checks(ctx)
	if err != nil {
		return effect.Set{}, err
	}
	c, err := choose(checks, a.Check)
	if err != nil {
		return effect.Set{}, err
	}
	seconds, note := within(a.Timeout, checkSeconds)
	x, err := v.Command(ctx, CommandSpec{Script: c.Command, Seconds: seconds, Detected: true})
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), fmt.Sprintf("test with %s (found in %s)", c.Command, c.Because), commandPlan{Note: note}, x), nil
}

func choose(checks []Check, want string) (Check, error) {
	if len(checks) == 0 {
		return Check{}, &ArgumentError{"no test command was found in the project's files: run its tests with execute_command, or say that there are none"}
	}
	if want == "" {
		return checks[0], nil
	}
	var all []string
	for _, c := range checks {
		if c.Command == want {
			return c, nil
		}
		all = append(all, c.Command)
	}
	return Check{}, &ArgumentError{fmt.Sprintf("%q is not a detected test command; they are: %s. Others run with execute_command", want, strings.Join(all, ", "))}
}

// Run implements Tool.
func (selfVerify) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a commandPlan
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	x, err := start(ctx, e, planned.Effects[0])
	if err != nil {
		return failed("test", err)
	}
	r := ended(x, planned.Effects[0])
	r.Body += a.Note
	r.Check = true
	r.Title = "tests passed"
	if r.Status != OK {
		r.Title = "tests failed"
	}
	return r, nil
}
