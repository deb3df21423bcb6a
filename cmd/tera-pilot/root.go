package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"golang.org/x/term"
)

// process is everything a run of the program takes from outside.
type process struct {
	args                  []string
	env                   []string
	stdin, stdout, stderr *os.File
	egress                netguard.Options // how the proxy of a command resolves and dials; zero is this machine's way
}

// app carries what the subcommands share: the process and the common flags.
type app struct {
	process
	flags  commonFlags
	own    map[string]string // our own secrets, by variable; no process that is started gets them
	opened *stores
	grade  atomic.Value // string: the sandbox's, as last probed; the start screens show it
}

// commonFlags are the flags that every subcommand understands.
type commonFlags struct {
	autonomy, provider, model, config, home, root, script, log string
	ignoreProjectConfig                                        bool
}

// Exit codes of the program, as documented in docs/exit-codes.md.
const (
	exitOK          = 0
	exitFailed      = 1 // a negative verdict, or an error of the run
	exitUsage       = 2
	exitDenied      = 3
	exitUntrusted   = 4
	exitBudget      = 5
	exitNoSandbox   = 6
	exitNoEvidence  = 7
	exitCancelled   = 8
	exitModel       = 9
	exitSetupFailed = 125 // sandbox and git: the set-up failed, the command did not run
)

// An exitError ends the program with a code of its own. A nil err means that
// everything has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks err as a mistake in the words of the call.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// newApp makes the program for one process.
func newApp(p process) *app { return &app{process: p, opened: newStores()} }

// run executes one command line and returns the exit code.
func run(ctx context.Context, p process) int {
	if runtime.GOOS == "windows" {
		fmt.Fprintln(p.stderr, "tera-pilot: Windows is not supported, since no sandbox of an accepted grade exists there; use it inside WSL 2")
		return exitUsage
	}
	a := newApp(p)
	a.env, a.own = takeSecrets(p.env)
	root := a.rootCommand()
	root.SetArgs(p.args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return a.exitCode(root.ExecuteContext(ctx))
}

// exitCode says err on stderr, once, and maps it to the program's exit code.
func (a *app) exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitFailed, err: err}
	}
	if exit.err != nil {
		fmt.Fprintln(a.stderr, visible.OnceProse("tera-pilot: "+exit.err.Error()))
	}
	return exit.code
}

// getenv looks a variable up in the environment that the process was given.
func (a *app) getenv(name string) string {
	if v, ok := a.own[name]; ok {
		return v
	}
	for i := len(a.env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.env[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// userHome is the person's home folder: $HOME, else the account's.
func (a *app) userHome() (string, error) {
	if h := a.getenv("HOME"); filepath.IsAbs(h) {
		return filepath.Clean(h), nil
	}
	u, err := user.Current()
	if err != nil || !filepath.IsAbs(u.HomeDir) {
		return "", usage("no home folder: set HOME, or name the state folder with --home DIR")
	}
	return u.HomeDir, nil
}

// stateHome is the folder of our own state: --home, else TERA_PILOT_HOME,
// else ~/.tera_pilot. It is not created here.
func (a *app) stateHome() (string, error) {
	for _, h := range []string{a.flags.home, a.getenv("TERA_PILOT_HOME")} {
		if h != "" {
			return filepath.Abs(h)
		}
	}
	home, err := a.userHome()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".tera_pilot"), nil
}

// isTerminal says whether f is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
