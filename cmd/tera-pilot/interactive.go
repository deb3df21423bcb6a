package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/tui"
	front "github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// sessionFlags are the flags of the interactive session.
type sessionFlags struct {
	inline, lines, last bool
	session             string
}

// interactive adds the flags of the session in the terminal to the root
// command, which is that session.
func (a *app) interactive(root *cobra.Command) {
	var f sessionFlags
	root.Flags().BoolVar(&f.inline, "inline", false, "draw below the shell's lines instead of the full screen")
	root.Flags().BoolVar(&f.lines, "lines", false, "one line an event: for screen readers and simple terminals")
	root.Flags().BoolVar(&f.last, "continue", false, "go on with the last session in this folder")
	root.Flags().StringVar(&f.session, "session", "", "go on with the session of this id")
	root.MarkFlagsMutuallyExclusive("inline", "lines")
	root.MarkFlagsMutuallyExclusive("continue", "session")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) == 1 {
			dir = args[0]
		}
		return a.talk(cmd.Context(), f, dir)
	}
}

func (f sessionFlags) mode() tui.Mode {
	switch {
	case f.lines:
		return tui.Lines
	case f.inline:
		return tui.Inline
	default:
		return tui.Auto
	}
}

// talk is the interactive session.
func (a *app) talk(ctx context.Context, f sessionFlags, dir string) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usage("this needs a terminal: use `tera-pilot run PROMPT` without one, or see `tera-pilot --help`")
	}
	p, err := a.place(dir)
	if err != nil {
		return err
	}
	prov, err := a.provider(p, secret.New())
	if err != nil {
		return err
	}
	if prov.Provider == nil {
		return a.welcome(ctx, f, p, dir)
	}
	l := launch{front: audit.FrontTUI, dir: dir, canAsk: true, last: f.last, resume: f.session, review: a.reviewProject}
	for {
		next, err := a.converse(ctx, f, l)
		if err != nil || next == (snap.Request{}) {
			return err
		}
		l.last, l.resume = false, next.Open
		if next.Fork != "" {
			store := session.NewStore(filepath.Join(p.state, "sessions"))
			if l.resume, err = store.Fork(next.Fork, next.Turn, time.Now()); err != nil {
				return err
			}
		}
	}
}

// converse is one session in the terminal, and what the person wants after it.
func (a *app) converse(ctx context.Context, f sessionFlags, l launch) (snap.Request, error) {
	a.bound(0)
	o, err := a.open(ctx, l)
	if err != nil {
		return snap.Request{}, err
	}
	if log, err := os.Stat(filepath.Join(o.state, "sessions", o.ID(), "events.jsonl")); err == nil {
		a.bound(log.Size())
	}
	t := a.terminal(f, o.settings)
	t.Session, t.Log, t.Desk = o, a.activityLog(ctx, o), a.desk(ctx, o)
	out, err := tui.Run(ctx, t)
	status := audit.CloseOK
	if err != nil {
		status = audit.CloseError
	}
	return out.Next, errors.Join(err, o.Close(status))
}

// least is what the program may keep before it looks for what it no longer
// needs, in bytes; a long conversation gets a multiple of its log.
const least = 80 << 20

// bound keeps the program small while a person sits before it, at the price of
// some time when a long session is opened (docs/architecture.md, section 7:
// under 100 MB after 10,000 turns). The environment of Go has the last word.
func (a *app) bound(log int64) {
	if a.getenv("GOMEMLIMIT") != "" || a.getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(max(least, log*5/2+16<<20)) // what is alive is about twice the log
}

// terminal is how the person wants the screen.
func (a *app) terminal(f sessionFlags, s config.Settings) tui.Options {
	o := tui.Options{In: a.stdin, Out: a.stdout, Env: a.env, Mode: f.mode(), Theme: s.Terminal.Theme, Keys: s.Terminal.Keys, Still: s.Terminal.Still}
	switch s.Terminal.Notify {
	case "bell":
		o.Notify = tui.Bell
	case "desktop":
		o.Notify = tui.Desktop
	}
	return o
}

// welcome is the start screen of a place without a model.
func (a *app) welcome(ctx context.Context, f sessionFlags, p place, dir string) error {
	start := a.startScreen(p)
	t := a.terminal(f, p.settings)
	t.Start, t.Refresh = &start, func() snap.Start { return a.withServers(ctx, p, a.startScreen(p)) }
	t.Desk = front.Desk{Checks: desk{a: a, ctx: ctx, place: p}.checks}
	out, err := tui.Run(ctx, t)
	if err != nil {
		return err
	}
	if use, ok := strings.CutPrefix(out.Chosen, useModel); ok {
		a.flags.provider, a.flags.model, _ = strings.Cut(use, " ")
		return a.talk(ctx, f, dir)
	}
	switch out.Chosen {
	case "demo":
		return a.demo(ctx, false)
	case "doctor": // in lines, where there is no screen for it
		return a.doctor(ctx, p.root, false, false)
	default:
		return nil
	}
}

// useModel begins the action that starts a session with a model: its provider
// and its name follow.
const useModel = "use "

// startScreen says how things stand, and what can be done without a model.
func (a *app) startScreen(p place) snap.Start {
	s := snap.Start{
		Folder: short(p.root, p.home), Says: "No model is configured yet. Nothing has been sent.",
		Level: p.settings.Autonomy, Sandbox: p.settings.Sandbox + " ?",
		Local: []snap.Server{
			{Name: "ollama", Address: "127.0.0.1:11434", State: "looking ..."}, {Name: "llama.cpp", Address: "127.0.0.1:8080", State: "looking ..."},
			{Name: "LM Studio", Address: "127.0.0.1:1234", State: "looking ..."},
		},
		Can: []snap.Action{
			{ID: "demo", Key: "d", Title: "Play the demo (scripted, nothing leaves here)"},
			{ID: "refresh", Key: "r", Title: "Look again for a local model"},
			{ID: "doctor", Key: "t", Title: "Self test: sandbox, signer, model"},
		},
		Notes: []string{"A key can be stored too: tera-pilot keys set openai --from stdin < FILE"},
	}
	for _, preset := range model.Presets() {
		if preset.KeyEnv != "" && !preset.Local && preset.ID != "openai-chat" && len(s.Remote) < 6 {
			s.Remote = append(s.Remote, fmt.Sprintf("%-12s set %s", preset.ID, preset.KeyEnv))
		}
	}
	return s
}

// withServers adds the model servers that answer on this machine, their models
// as what can be done, and the grade of the sandbox.
func (a *app) withServers(ctx context.Context, p place, s snap.Start) snap.Start {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	found, err := model.Discover(ctx, model.Discovery{})
	if err != nil {
		s.Notes = append(s.Notes, "local servers could not be looked for: "+err.Error())
	}
	for i := range s.Local {
		s.Local[i].State, s.Local[i].Hint = "not answering", "start it, then press r"
	}
	var use []snap.Action
	for _, x := range found {
		at := strings.TrimPrefix(x.Address, "http://")
		s.Local = slices.DeleteFunc(s.Local, func(l snap.Server) bool { return l.Address == at })
		s.Local = append([]snap.Server{server(x)}, s.Local...)
		for _, m := range x.Models {
			if len(use) < maxOffered {
				use = append(use, snap.Action{ID: useModel + x.Kind + " " + m.Name, Key: fmt.Sprint(len(use) + 1), Title: "Use " + m.Name + " of " + x.Kind})
			}
		}
	}
	s.Can = append(use, s.Can...)
	if setting, err := ossandbox.ParseSetting(p.settings.Sandbox); err == nil {
		r := ossandbox.Probe(ctx, ossandbox.Config{Root: p.root, Home: p.home, State: p.state, Env: a.env, Setting: setting})
		s.Sandbox = p.settings.Sandbox + " " + r.Grade.String()
	}
	return s
}

// maxOffered is how many models of local servers can be started with one key.
const maxOffered = 5

// server is one local server that was found.
func server(x model.Found) snap.Server {
	s := snap.Server{Name: x.Kind, Address: strings.TrimPrefix(x.Address, "http://"), State: fmt.Sprintf("%d models", len(x.Models))}
	if len(x.Models) == 0 {
		s.Hint = "it has no model yet"
	}
	return s
}

// short writes a path as people do.
func short(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}
