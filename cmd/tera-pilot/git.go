package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tera-pilot/tera-pilot/gitsafe"
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
exit code is git's own. docs/git.md has the list.`,
		Example:            "  tera-pilot git status\n  tera-pilot git commit -a -m 'a message'",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
				return cmd.Help()
			}
			return a.runGit(cmd, args)
		},
	}
}

func (a *app) runGit(cmd *cobra.Command, args []string) error {
	call, err := gitsafe.Check(args)
	if err != nil {
		return refused(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return refused(err)
	}
	home, err := a.userHome()
	if err != nil {
		home = "" // no configuration of the person then; git works without
	}
	g, err := gitsafe.New(gitsafe.Options{Home: home, Env: a.env, Runner: gitsafe.Plain{}, Limits: brokerLimits})
	if err != nil {
		return refused(err)
	}
	plan, err := g.Plan(cmd.Context(), dir, call)
	if err != nil {
		return refused(err)
	}
	result, err := g.Run(cmd.Context(), plan, gitsafe.Streams{Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr})
	a.gitNotes(result)
	if err != nil {
		return refused(err)
	}
	if result.Code != 0 {
		return &exitError{code: result.Code}
	}
	return nil
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
