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
	"github.com/tera-pilot/tera-pilot/agent/acp"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// noConfirmEnv is the variable that, set to 1 by who launches the agent, is
// --no-confirm.
const noConfirmEnv = "TERA_PILOT_ACP_NO_CONFIRM"

func (a *app) acpCommand() *cobra.Command {
	var noConfirm bool
	cmd := &cobra.Command{
		Use:   "acp [--no-confirm]",
		Short: "Be the agent of an editor (Agent Client Protocol on stdin and stdout)",
		Long: `Be the agent of an editor that speaks the Agent Client Protocol: Zed, JetBrains,
Neovim and others start this command and talk to it on stdin and stdout. The
editor shows every question; where it cannot, what would be asked is denied.
docs/acp.md shows how an editor is set up. TERA_PILOT_WORKSPACE names a folder that
sessions must lie in, as --root does; TERA_PILOT_ACP_LOG_LEVEL is error, info or
debug, and says how much stderr tells.`,
		Example: `  tera-pilot acp
  tera-pilot acp --autonomy new_files_only --model qwen3-coder`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.acp(cmd.Context(), noConfirm) },
	}
	cmd.Flags().BoolVar(&noConfirm, "no-confirm", false, "act without asking, inside the sandbox; no deny is lifted")
	return cmd
}

// Variables of the original that count here: the folder that sessions must lie
// in, where --root names none, and how much is said on stderr.
const (
	workspaceEnv = "TERA_PILOT_WORKSPACE"
	logLevelEnv  = "TERA_PILOT_ACP_LOG_LEVEL"
)

// acpEnvironment reads them.
func (a *app) acpEnvironment() (acp.LogLevel, error) {
	level, ok := acp.ParseLogLevel(a.getenv(logLevelEnv))
	if !ok {
		fmt.Fprintf(a.stderr, "%s is none of error, info and debug: only errors are told\n", logLevelEnv)
	}
	dir := a.getenv(workspaceEnv)
	if dir == "" || a.flags.root != "" {
		return level, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return level, usage("%s is %q: it must be the whole path of a folder", workspaceEnv, dir)
	}
	a.flags.root = dir
	return level, nil
}

// takesPictures says that the model that is configured does. What is wrong with
// it is told when a session is opened.
func (a *app) takesPictures(ctx context.Context, s config.Settings) func() bool {
	return func() bool {
		state, err := a.stateHome()
		if err != nil {
			return false
		}
		m, err := a.mind(ctx, place{state: state, settings: s}, secret.New())
		return err == nil && m.Provider != nil && m.Images
	}
}

// acp serves one editor until it leaves.
func (a *app) acp(ctx context.Context, noConfirm bool) error {
	// Stdout is the protocol's. Whatever else prints goes to stderr.
	out := a.stdout
	os.Stdout, a.stdout = a.stderr, a.stderr
	// An editor that dies closes both pipes. That ends the sessions, not this
	// process in the middle of them.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	if word := a.getenv(noConfirmEnv); word == "1" {
		noConfirm = true
	} else if word != "" {
		fmt.Fprintf(a.stderr, "%s does nothing: its one value is 1\n", noConfirmEnv)
	}
	level, err := a.acpEnvironment()
	if err != nil {
		return err
	}
	settings, err := a.acpSettings()
	if err != nil {
		return err
	}
	if noConfirm {
		if err := a.sandboxHere(ctx, settings); err != nil {
			return err
		}
		fmt.Fprintln(a.stderr, "no-confirm: the agent acts inside the sandbox without asking")
	}
	store, err := a.sessionStore()
	if err != nil {
		return err
	}
	return acp.Run(ctx, acp.Options{
		In: a.stdin, Out: out, Err: a.stderr, Version: version(), Store: witnessedStore{store, a, ctx}, Level: level, Images: a.takesPictures(ctx, settings),
		Launch: acp.Launch{NewFiles: settings.Autonomy == gate.NewFilesOnly.String(), OptOut: noConfirm},
		Open: func(ctx context.Context, r acp.Request) (acp.Opened, error) {
			return a.openForEditor(ctx, r, noConfirm)
		},
	})
}

// acpSettings finds mistakes in flags and files before an editor waits.
func (a *app) acpSettings() (config.Settings, error) {
	state, err := a.stateHome()
	if err != nil {
		return config.Settings{}, err
	}
	if err := statedir.Check(state); err != nil {
		return config.Settings{}, usage("%w", err)
	}
	s, err := a.settings(state)
	if err != nil {
		return s, err
	}
	if _, _, err := levels(s); err != nil {
		return s, usage("%w", err)
	}
	if _, err := a.rules(state); err != nil {
		return s, usage("%w", err)
	}
	a.warnLevel(&opened{place: place{settings: s}}, a.getenv(noConfirmEnv) == "1")
	return s, nil
}

// sandboxHere refuses to start where commands could not be confined. No
// workspace is known yet, so an empty folder stands for one.
func (a *app) sandboxHere(ctx context.Context, s config.Settings) (err error) {
	setting, err := ossandbox.ParseSetting(s.Sandbox)
	if err != nil {
		return usage("%w", err)
	}
	home, err := a.userHome()
	if err != nil {
		return err
	}
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tera-pilot-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(dir)) }()
	w, err := world.Open(ctx, world.Options{Root: dir, Home: home, State: state, Env: a.env, Setting: setting})
	if err != nil {
		return err
	}
	return errors.Join(refuseUnconfined(w, setting), w.Close())
}

// openForEditor opens a session whose root is exactly the folder that the
// editor names.
func (a *app) openForEditor(ctx context.Context, r acp.Request, noConfirm bool) (acp.Opened, error) {
	b := *a
	if b.flags.root != "" && !beneath(r.Dir, b.flags.root) {
		return acp.Opened{}, fmt.Errorf("%w: %s does not lie in %s, where --root or %s keeps this agent", acp.ErrFolder, r.Dir, b.flags.root, workspaceEnv)
	}
	b.flags.root = r.Dir
	p, err := b.place(r.Dir)
	if err != nil {
		return acp.Opened{}, errors.Join(acp.ErrFolder, err)
	}
	if r.Resume != "" {
		if err := a.sameFolder(p, r.Resume); err != nil {
			return acp.Opened{}, err
		}
	}
	o, err := b.open(ctx, launch{
		front: audit.FrontACP, dir: r.Dir, canAsk: true, optOut: noConfirm, resume: r.Resume, needsSandbox: noConfirm,
		editor: r.Editor, preview: true,
	})
	if err != nil {
		return acp.Opened{}, err
	}
	opened := acp.Opened{Session: o, Root: p.root, Model: o.mind.Model, Window: o.mind.Window}
	if o.mind.Provider != nil {
		opened.Models, err = knownModels(o.mind.Provider.ID())
	}
	if err != nil {
		return acp.Opened{}, errors.Join(err, o.Close(audit.CloseError))
	}
	return opened, nil
}

// knownModels are the names of a provider's models that the catalogue has.
func knownModels(provider string) ([]string, error) {
	catalogue, err := model.Embedded()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, m := range catalogue.Models {
		if m.Provider == provider {
			out = append(out, m.Model)
		}
	}
	return out, nil
}

// sameFolder says that a stored session belongs to the folder that is asked for.
func (a *app) sameFolder(p place, id string) error {
	store, err := a.sessions(p.state)
	if err != nil {
		return err
	}
	past, err := store.Read(id)
	if err != nil {
		return err
	}
	if was := session.Fold(past).Root; was != "" && was != p.root {
		return fmt.Errorf("%w: session %s belongs to %s", acp.ErrFolder, id, was)
	}
	return nil
}

// beneath says that dir is top or lies in it, links resolved.
func beneath(dir, top string) bool {
	real := func(p string) string {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			p = r
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return p
		}
		return abs
	}
	dir, top = real(dir), real(top)
	return dir == top || strings.HasPrefix(dir, strings.TrimSuffix(top, "/")+"/")
}
