package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

func (a *app) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Ask, test and prune the rules about commands, paths, hosts and tools",
		Args: noSubcommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use: "explain COMMAND", Short: "Say what a command would do, and which rule decides; the command is not run",
			Args: policyArgs(1, 1), RunE: func(cmd *cobra.Command, args []string) error { return a.policyExplain(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "decide", Short: `Read {"id","command","setup"?} a line, write {"id","decision"} a line; runs nothing`,
			Args: policyArgs(0, 0), RunE: func(*cobra.Command, []string) error { return a.policyDecide() },
		},
		&cobra.Command{
			Use: "test [FILE]", Short: "Load policy files and run the examples of their rules",
			Args: policyArgs(0, 1), RunE: func(_ *cobra.Command, args []string) error { return a.policyTest(args) },
		},
		&cobra.Command{
			Use: "list", Short: "List every rule with its id, file and line",
			Args: policyArgs(0, 0), RunE: func(*cobra.Command, []string) error { return a.policyList() },
		},
		&cobra.Command{
			Use: "forget ID", Short: "Withdraw a remembered rule",
			Args: policyArgs(1, 1), RunE: func(cmd *cobra.Command, args []string) error { return a.policyForget(cmd.Context(), args[0]) },
		},
	)
	c.AddCommand(a.whatIfCommand())
	return c
}

// policyArgs checks the number of words after a subcommand.
func policyArgs(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("usage: %s", c.UseLine())
		}
		return nil
	}
}

// policySource is one file that rules may come from.
type policySource struct {
	name  string
	layer commandpolicy.Layer
	json  bool
}

// policySources are the files of the person and, for tightening, the project.
func (a *app) policySources(workspace string) ([]policySource, error) {
	state, err := a.stateHome()
	if err != nil {
		return nil, err
	}
	out := []policySource{
		{filepath.Join(state, "policy.toml"), commandpolicy.LayerUser, false},
		{filepath.Join(state, "commands.json"), commandpolicy.LayerUser, true},
		{filepath.Join(state, "remembered.toml"), commandpolicy.LayerRemembered, false},
	}
	project := filepath.Join(workspace, ".tera_pilot")
	if a.flags.ignoreProjectConfig || project == state {
		return out, nil
	}
	return append(out,
		policySource{filepath.Join(project, "policy.toml"), commandpolicy.LayerProject, false},
		policySource{filepath.Join(project, "commands.json"), commandpolicy.LayerProject, true}), nil
}

// load reads a policy file; a file that is not there is nil.
func (s policySource) load() (*commandpolicy.File, error) {
	f, err := os.Open(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("policy: %w", err)
	}
	defer f.Close()
	load := commandpolicy.Load
	if s.json {
		load = commandpolicy.LoadCommandsJSON
	}
	return load(f, s.name, s.layer)
}

// policyPlace is where commands are thought to run: the current folder, or
// --root, is the workspace.
func (a *app) policyPlace() (commandpolicy.Context, error) {
	root := a.flags.root
	if root == "" {
		root = "."
	}
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return commandpolicy.Context{}, usage("policy: the workspace cannot be found: %w", err)
	}
	home, err := a.userHome()
	if err != nil {
		return commandpolicy.Context{}, err
	}
	state, err := a.stateHome()
	if err != nil {
		return commandpolicy.Context{}, err
	}
	return commandpolicy.Context{
		Workspace: root, Home: home, State: state, Env: map[string]string{"HOME": home}, Look: commandpolicy.BeneathDir(root),
	}, nil
}

// loadPolicy reads every policy file. A file with errors stops everything: a
// rule that was meant to forbid must not vanish.
func (a *app) loadPolicy() (*commandpolicy.Policy, commandpolicy.Context, error) {
	files, where, err := a.policyFiles()
	if err != nil {
		return nil, where, err
	}
	return commandpolicy.New(files...), where, nil
}

func (a *app) policyFiles() ([]*commandpolicy.File, commandpolicy.Context, error) {
	where, err := a.policyPlace()
	if err != nil {
		return nil, where, err
	}
	state, err := a.stateHome()
	if err != nil {
		return nil, where, err
	}
	book, done, err := a.handBook(state, where.Workspace)
	var files []*commandpolicy.File
	if err == nil {
		files, err = book.Files()
		err = errors.Join(err, done())
	}
	if err != nil {
		return nil, where, usage("the policy cannot be used, so nothing is allowed; mend it and try `tera-pilot policy test`\n%w", err)
	}
	return files, where, nil
}

// policyWhen is a lookup by hand: now, at the best grade, with nothing read.
func policyWhen() commandpolicy.When { return commandpolicy.When{Now: time.Now(), Grade: "A"} }

func (a *app) policyTest(args []string) error {
	var sources []policySource
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); err != nil {
			return usage("policy test: %w", err)
		}
		sources = []policySource{{args[0], commandpolicy.LayerUser, strings.HasSuffix(args[0], ".json")}}
	} else {
		where, err := a.policyPlace()
		if err != nil {
			return err
		}
		if sources, err = a.policySources(where.Workspace); err != nil {
			return err
		}
	}
	failed, found := false, false
	for _, s := range sources {
		f, err := s.load()
		var broken *commandpolicy.LoadError
		switch {
		case errors.As(err, &broken):
			fmt.Fprintln(a.stdout, broken)
			failed, found = true, true
		case err != nil:
			return err
		case f != nil:
			found = true
			for _, w := range f.Warnings {
				fmt.Fprintf(a.stdout, "%s (warning)\n", w)
			}
			fmt.Fprintf(a.stdout, "%s: %s, all their examples hold\n", s.name, counted(len(f.Rules), "rule"))
		}
	}
	if !found {
		fmt.Fprintln(a.stdout, "no policy files; the built-in rules alone are in force")
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (a *app) policyList() error {
	pol, _, err := a.loadPolicy()
	if err != nil {
		return err
	}
	rules := pol.Rules()
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(a.stdout, "%-10s %-5s %s  %s:%d%s\n", r.Layer, r.Decision, r.ID, r.File, r.Line, policyExpiry(r))
		fmt.Fprintf(a.stdout, "    %s\n", r.Summary())
	}
	for _, h := range commandpolicy.Builtin() {
		fmt.Fprintf(a.stdout, "%-10s %-5s %s  %s\n    %s\n", h.Layer, h.Decision, h.ID, h.File, h.Because)
	}
	return nil
}

func policyExpiry(r *commandpolicy.Rule) string {
	when, where := r.Expires(), ""
	if r.Root() != "" {
		where = "  in " + r.Root()
	}
	switch {
	case when.IsZero():
		return where
	case time.Now().After(when):
		return where + "  (expired " + when.Format(time.DateOnly) + ")"
	}
	return where + "  (until " + when.Format(time.RFC3339) + ")"
}
