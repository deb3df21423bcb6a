package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// Limits of the hand-typed git: generous, but there.
var brokerLimits = gitsafe.Limits{Time: 10 * time.Minute, NetTime: time.Hour, Output: 1 << 30}

// gitCommand is `tera-pilot git ARGS`: git as the agent would run it, without
// a question, since the person typed it.
func (a *app) gitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "git ARGS",
		Short: "Run git so that the repository chooses no program, host or file elsewhere",
		Long: `Run git as the agent would run it: hooks, filters, drivers, aliases and other
programs of the repository are not started, its configuration is neutralised,
and only subcommands of a closed list are accepted. Yours is in force.

A refusal ends with exit code 125 and one line that says why; otherwise the
exit code is git's own. docs/git.md has the list.

It runs in the sandbox, as the agent's does. Where there is none, or for what
needs your keys (a signature, the network), it runs hardened on the host.

  tera-pilot git trust list            hooks and filters that this repository brings
  tera-pilot git trust add NAME        let one of them run, in the sandbox, until it changes
  tera-pilot git trust remove NAME     no longer`,
		Example:            "  tera-pilot git status\n  tera-pilot git commit -a -m 'a message'\n  tera-pilot git trust add pre-commit",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
				return cmd.Help()
			}
			if args[0] == "trust" {
				return a.gitTrust(cmd.Context(), args[1:])
			}
			return a.runGit(cmd.Context(), args)
		},
	}
}

func (a *app) runGit(ctx context.Context, args []string) error {
	call, err := gitsafe.Check(args)
	if err != nil {
		return refused(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return refused(err)
	}
	b, err := a.gitBroker(ctx, dir, call.Dir)
	if err != nil {
		return refused(err)
	}
	defer b.close()
	plan, err := b.git.Plan(ctx, dir, call)
	if err != nil {
		return refused(err)
	}
	if b.why != "" && plan.Class != gitsafe.Unknown && call.Sub != "version" {
		printLine(a.stderr, "tera-pilot: git runs without the sandbox: "+b.why)
	}
	result, err := b.git.Run(ctx, plan, gitsafe.Streams{Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr})
	a.gitNotes(result)
	if err != nil {
		return refused(err)
	}
	if result.Code != 0 {
		return &exitError{code: result.Code}
	}
	return nil
}

// A broker is git for one hand-typed call.
type broker struct {
	git *gitsafe.Git
	box *ossandbox.Sandbox
	why string // why there is no sandbox around it; "" where there is one
}

func (b broker) close() {
	if b.box != nil {
		_ = b.box.Close() // what it cannot take away now, the next command sweeps
	}
}

// gitBroker is the agent's own git, in the sandbox of the working tree that
// holds dir/sub.
func (a *app) gitBroker(ctx context.Context, dir, sub string) (b broker, err error) {
	home, err := a.userHome()
	if err != nil {
		home = "" // no configuration of the person then; git works without
	}
	state, err := a.stateHome()
	if err != nil {
		state = "" // and no sandbox, which needs a place of ours
	}
	if filepath.IsAbs(sub) {
		dir = sub
	} else {
		dir = filepath.Join(dir, sub)
	}
	b.box, b.why = a.gitBox(ctx, dir, home, state)
	b.git, err = world.Git(gitsafe.Options{Home: home, Env: a.env, Limits: brokerLimits}, state, b.box)
	if err != nil {
		b.close()
	}
	return b, err
}

// gitBox is that sandbox, or why there is none.
func (a *app) gitBox(ctx context.Context, dir, home, state string) (*ossandbox.Sandbox, string) {
	if home == "" || state == "" {
		return nil, "there is no home folder"
	}
	setting, err := a.sandboxSetting(state)
	if err != nil {
		return nil, err.Error()
	}
	if setting == ossandbox.Off {
		return nil, "agent_os_sandbox is off"
	}
	box, err := ossandbox.New(ctx, ossandbox.Config{
		Root: workingTree(dir, home), Home: home, State: state, Env: a.env, Setting: ossandbox.On, Limits: ossandbox.Limits{Output: brokerLimits.Output},
	})
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "sandbox: ")
	}
	return box, ""
}

// gitNotes says on stderr what was not run and what was saved.
func (a *app) gitNotes(r gitsafe.Result) {
	for _, n := range r.Notes {
		printLine(a.stderr, "tera-pilot: "+n)
	}
	if r.Snapshot != nil {
		printLine(a.stderr, "tera-pilot: saved first; to put it back: "+r.Snapshot.Recover)
	}
	switch {
	case r.TimedOut:
		printLine(a.stderr, "tera-pilot: git was ended at the time limit")
	case r.Truncated:
		printLine(a.stderr, "tera-pilot: more output was dropped")
	}
}

func printLine(f *os.File, line string) { _, _ = f.WriteString(line + "\n") }

// refused maps an error to exit code 125, in one line.
func refused(err error) error {
	var none *gitsafe.NotRepositoryError
	if errors.As(err, &none) {
		return &exitError{code: exitSetupFailed, err: errors.New("git: " + none.Error())}
	}
	return &exitError{code: exitSetupFailed, err: err}
}
