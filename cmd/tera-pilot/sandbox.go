package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// sandboxCommand runs a command by hand in the sandbox of the agent.
func (a *app) sandboxCommand() *cobra.Command {
	var profile string
	var hosts []string
	c := &cobra.Command{
		Use:   "sandbox [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command by hand in the agent's sandbox",
		Long: `Run a command in the sandbox that the agent's commands run in. Git in it reads
what the repository configures, and starts it there; for the agent, and in
tera-pilot git, it does not.

The exit code is the command's own (128+n for a death by signal n). 125 means
that the sandbox could not be set up and nothing ran; 126 and 127, that the
command could not be executed or was not found.`,
		Args:                  cobra.MinimumNArgs(1),
		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&profile, "profile", "work", "observe, work, net or debug")
	c.Flags().StringArrayVar(&hosts, "allow-host", nil, "host that the profile net may reach (repeatable)")
	c.Flags().SetInterspersed(false)
	c.RunE = func(cmd *cobra.Command, argv []string) error {
		if len(hosts) > 0 && !cmd.Flags().Changed("profile") {
			profile = "net"
		}
		p, err := ossandbox.ParseProfile(profile, hosts...)
		if err != nil {
			return usage("%w", err)
		}
		return a.runSandboxed(cmd.Context(), p, argv)
	}
	return c
}

// runSandboxed runs argv and ends with its exit code.
func (a *app) runSandboxed(ctx context.Context, p ossandbox.Profile, argv []string) error {
	cfg, dir, err := a.sandboxConfig()
	if err != nil {
		return err
	}
	cfg.Untested = true
	// The command gets our signals, and decides itself what they mean to it.
	ctx = context.WithoutCancel(ctx)
	ctx, stop := ossandbox.WithParent(ctx)
	defer stop()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT)
	defer signal.Stop(signals)
	box, err := ossandbox.New(ctx, cfg)
	if err != nil {
		return a.sandboxFailed(err)
	}
	res, err := box.Run(ctx, ossandbox.Command{
		Argv: argv, Dir: dir, Profile: p,
		Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Signals: signals,
	})
	if err == nil {
		err = a.carryOver(ctx, box, res.Changes)
	}
	if closing := box.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return a.sandboxFailed(err)
	}
	for _, f := range res.Quarantine {
		a.sandboxNote(fmt.Sprint(f))
	}
	if res.LimitReached != "" {
		a.sandboxNote(fmt.Sprintf("the command was ended at its limit: %s", res.LimitReached))
	}
	if res.ExitCode == 0 {
		return nil
	}
	return &exitError{code: res.ExitCode}
}

// carryOver brings into the workspace what a command changed in a copy of it
// (grade B). A command typed by hand is its own yes, but not for what the other
// grades would not have let it write.
func (a *app) carryOver(ctx context.Context, box *ossandbox.Sandbox, changes []ossandbox.Change) error {
	var wanted []ossandbox.Change
	for _, c := range changes {
		if c.Rule == "" {
			wanted = append(wanted, c)
			continue
		}
		a.sandboxNote(fmt.Sprintf("%s is not carried over (%s)", c.Path, c.Rule))
	}
	if len(wanted) == 0 {
		return nil
	}
	conflicts, err := box.Apply(ctx, wanted)
	for _, p := range conflicts {
		a.sandboxNote(p + " is not carried over (changed meanwhile by somebody else)")
	}
	return err
}

// sandboxNote prints a line of ours beside the command's output. What it names
// may be a file that the command has named: no character of it reaches the
// terminal as more than text.
func (a *app) sandboxNote(text string) {
	fmt.Fprintln(a.stderr, visible.Once("tera-pilot sandbox: "+text))
}

// sandboxFailed says why nothing ran. The first line never looks like the
// command's own.
func (a *app) sandboxFailed(err error) error {
	code := exitSetupFailed
	if e, ok := errors.AsType[*ossandbox.ExecError](err); ok {
		code = 126
		if e.NotFound {
			code = 127
		}
	}
	fmt.Fprintln(a.stderr, visible.OnceProse("tera-pilot sandbox: "+strings.TrimPrefix(err.Error(), "sandbox: ")))
	return &exitError{code: code}
}

// sandboxConfig is the workspace of a command typed by hand: --root, else the
// working tree that holds the current folder, which is also where it runs.
func (a *app) sandboxConfig() (cfg ossandbox.Config, dir string, err error) {
	home, err := a.userHome()
	if err != nil {
		return cfg, "", err
	}
	state, err := a.stateHome()
	if err != nil {
		return cfg, "", err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return cfg, "", usage("the current folder cannot be found: %w", err)
	}
	root := a.flags.root
	if root == "" {
		root = workingTree(cwd, home)
	} else if root, err = filepath.Abs(root); err != nil {
		return cfg, "", usage("--root: %w", err)
	}
	setting, err := a.sandboxSetting(state)
	if err != nil {
		return cfg, "", err
	}
	if inside(root, cwd) {
		dir = cwd
	}
	return ossandbox.Config{Root: root, Home: home, State: state, Env: a.env, Setting: setting, Egress: a.egress}, dir, nil
}

// sandboxSetting is agent_os_sandbox of the person's settings, if there are any.
func (a *app) sandboxSetting(state string) (ossandbox.Setting, error) {
	settings, err := a.settings(state)
	if err != nil {
		return 0, err
	}
	setting, err := ossandbox.ParseSetting(settings.Sandbox)
	if err != nil {
		return 0, usage("%w", err)
	}
	return setting, nil
}

// workingTree is the top of the git working tree that holds dir, else dir; a
// tree that is the whole home folder, or /, is none.
func workingTree(dir, home string) string {
	for top := dir; top != "/" && top != home; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top
		}
	}
	return dir
}

// inside says whether dir is root or lies in it, links resolved.
func inside(root, dir string) bool {
	r, err1 := filepath.EvalSymlinks(root)
	d, err2 := filepath.EvalSymlinks(dir)
	rel, err3 := filepath.Rel(r, d)
	return err1 == nil && err2 == nil && err3 == nil && filepath.IsLocal(rel)
}
