package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/headless"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// maxPrompt is the longest prompt that is read from standard input, in bytes.
const maxPrompt = 1 << 20

// maxMinutes is the longest time limit of a run: a year.
const maxMinutes = 366 * 24 * 60

// runFlags are the flags of `run`.
type runFlags struct {
	noConfirm, json, last bool
	session               string
	schema, junit         string // files
	steps, minutes        int
	cost                  float64 // dollars
	tokens                int64
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT",
		Short: "Do one turn without a terminal; what nobody can be asked about is denied",
		Long: `Do one turn without a terminal. Nobody can be asked, so whatever would ask is
denied, and listed at the end with the smallest rule that would have allowed it.
The answer goes to stdout, progress to stderr. A PROMPT of - is read from stdin.

With --output-schema the last message is one JSON value that fits the schema: the
model is told so, and asked once more where it does not. docs/headless.md shows
the use in CI.`,
		Example: `  tera-pilot run 'which tests cover the parser?'
  tera-pilot run --no-confirm 'make the failing test pass'
  tera-pilot run --max-cost 0.50 --max-minutes 20 'bring the tests up to date'
  tera-pilot run --output-schema risks.schema.json --junit report.xml 'which functions are untested?'
  tera-pilot run --json - < task.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"max-cost", "max-tokens", "max-steps", "max-minutes"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && (flag.Value.String() == "0" || strings.HasPrefix(flag.Value.String(), "-")) {
					least := "1 or more"
					if name == "max-cost" {
						least = "more than 0"
					}
					return usage("--%s takes %s; without it the settings hold", name, least)
				}
			}
			return a.run(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().BoolVar(&f.noConfirm, "no-confirm", false, "act without asking, inside the sandbox; no deny is lifted")
	cmd.Flags().BoolVar(&f.json, "json", false, "one event a line on stdout, then the result object")
	cmd.Flags().BoolVar(&f.last, "continue", false, "go on with the last session in this folder")
	cmd.Flags().StringVar(&f.session, "session", "", "go on with the session of this id")
	cmd.Flags().IntVar(&f.steps, "max-steps", 0, "model calls at most (default: agent_max_iterations, 100)")
	cmd.Flags().IntVar(&f.minutes, "max-minutes", 0, "minutes at most")
	cmd.Flags().Float64Var(&f.cost, "max-cost", 0, "dollars at most; needs a model whose price is known")
	cmd.Flags().Int64Var(&f.tokens, "max-tokens", 0, "tokens at most, sent and received together")
	cmd.Flags().StringVar(&f.schema, "output-schema", "", "file with a JSON Schema that the last message must fit")
	cmd.Flags().StringVar(&f.junit, "junit", "", "file for a report that CI systems read: the turn, its tests, what was denied")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	return cmd
}

// run does one turn, and gives its exit code as an error.
func (a *app) run(ctx context.Context, f runFlags, prompt string) error {
	w, err := a.wanted(f, prompt)
	if err != nil {
		return err
	}
	report, err := a.report(f.junit)
	if err != nil {
		return err
	}
	code, err := a.turn(ctx, f, w, report)
	if err := errors.Join(err, report.Close()); err != nil {
		return err
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// A wanted is what the flags of a run ask for, read and checked.
type wanted struct {
	prompt string
	limits budget.Limits
	schema *headless.Schema // nil: the last message is free
}

func (a *app) wanted(f runFlags, prompt string) (w wanted, err error) {
	if w.prompt, err = a.prompt(prompt); err != nil {
		return w, err
	}
	if f.steps < 0 || f.minutes < 0 || f.minutes > maxMinutes {
		return w, usage("--max-steps and --max-minutes take 1 or more (minutes: %d at most); without them the settings hold", maxMinutes)
	}
	if w.limits, err = f.limits(); err != nil {
		return w, err
	}
	w.schema, err = readSchema(f.schema)
	return w, err
}

// turn opens a session, does the turn in it, writes the report, and closes it.
func (a *app) turn(ctx context.Context, f runFlags, w wanted, report *reportFile) (code int, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return 0, usage("the current folder is gone: %w", err)
	}
	// Whoever reads the output may leave. That ends the run, not this process in
	// the middle of it.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer func() {
		// What is still to be said, on a stderr that may be the same pipe, must
		// not end it either.
		if code != exitCancelled {
			signal.Stop(broken)
		}
	}()
	begun := time.Now()
	o, err := a.open(ctx, launch{
		front: audit.FrontRun, dir: dir, optOut: f.noConfirm, last: f.last, resume: f.session,
		maxSteps: f.steps, limits: w.limits, needsSandbox: f.noConfirm, needsProvider: true,
	})
	if err != nil {
		return 0, err
	}
	a.warnLevel(o, f.noConfirm)
	for _, line := range o.read {
		fmt.Fprintln(a.stderr, line)
	}
	limited := ctx
	if f.minutes > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, time.Duration(f.minutes)*time.Minute)
		defer cancel()
	}
	res, err := headless.Run(limited, headless.Options{
		Session: o, Prompt: w.prompt, JSON: f.json, Schema: w.schema, Sandbox: o.confined(), OptOut: f.noConfirm, Out: a.stdout, Err: a.stderr,
		OutOfTime: func() bool { return ctx.Err() == nil && limited.Err() != nil },
	})
	status := closeStatus(res.Exit, err)
	if errors.Is(err, syscall.EPIPE) {
		res.Exit, status = exitCancelled, audit.CloseCancelled
		err = &exitError{exitCancelled, errors.New("cancelled, since the reader of the output left; go on with --continue")}
	}
	if err == nil {
		err = report.write(func(w io.Writer) error { return res.JUnit(w, begun, time.Since(begun)) })
	}
	return res.Exit, errors.Join(err, o.Close(status))
}

// confined says that commands of the session run in a sandbox.
func (o *opened) confined() bool {
	return o.settings.Sandbox != ossandbox.Off.String() && o.world.Grade() != ossandbox.GradeNone.String()
}

// closeStatus is how a run with an exit code, or an error, ended.
func closeStatus(code int, err error) audit.CloseStatus {
	switch {
	case err == nil && code == exitOK:
		return audit.CloseOK
	case err == nil && code == exitCancelled:
		return audit.CloseCancelled
	default:
		return audit.CloseError
	}
}

// limits are the budget of the run. The steps are the session's own limit.
func (f runFlags) limits() (budget.Limits, error) {
	micros, err := config.Micros(f.cost)
	if err != nil {
		return budget.Limits{}, usage("--max-cost: %w", err)
	}
	if f.tokens < 0 {
		return budget.Limits{}, usage("--max-tokens takes 1 or more; without it there is no limit")
	}
	return budget.Limits{Cost: micros, Tokens: f.tokens, Time: time.Duration(f.minutes) * time.Minute}, nil
}

// prompt is the prompt's text; "-" reads it from standard input.
func (a *app) prompt(arg string) (string, error) {
	if arg != "-" {
		if strings.TrimSpace(arg) == "" {
			return "", usage("the prompt is empty: say what is to be done")
		}
		return arg, nil
	}
	b, err := io.ReadAll(io.LimitReader(a.stdin, maxPrompt+1))
	switch {
	case err != nil:
		return "", usage("the prompt cannot be read from standard input: %w", err)
	case len(b) > maxPrompt:
		return "", usage("the prompt is longer than %d bytes: put it into a file of the project and name that", maxPrompt)
	case len(bytes.TrimSpace(b)) == 0:
		return "", usage("the prompt from standard input is empty")
	}
	return string(b), nil
}

// warnLevel says that a configured never_ask does not count without a person
// at the terminal.
func (a *app) warnLevel(o *opened, optOut bool) {
	if o.settings.Autonomy == "never_ask" && !optOut {
		fmt.Fprintln(a.stderr, "never_ask counts as always_ask without a terminal: --no-confirm is the one opt-out")
	}
}
