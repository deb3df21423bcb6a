package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/tui"
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

// lookingAround is what a session without a model says of itself, and those
// that are opened from it.
const lookingAround = "no model is configured: this is for looking around"

// talk is the interactive session.
func (a *app) talk(ctx context.Context, f sessionFlags, dir string) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usage("this needs a terminal: use `tera-pilot run PROMPT` without one, or see `tera-pilot --help`")
	}
	b, err := a.begun(ctx, f, dir)
	if errors.Is(err, errLeft) {
		return nil
	}
	if err != nil {
		return err
	}
	l := launch{front: audit.FrontTUI, dir: b.dir, canAsk: true, last: f.last, resume: f.session, review: a.reviewProject}
	if b.look != (snap.Request{}) {
		if l, err = a.following(l, b.place.state, b.look); err != nil {
			return err
		}
		l.mind, l.says = &agent.Mind{}, lookingAround
	}
	if b.open != (snap.Request{}) {
		if l, err = a.following(l, b.place.state, b.open); err != nil {
			return err
		}
	}
	return a.fromSessionToSession(ctx, f, l)
}

// fromSessionToSession goes on for as long as the person wants another session
// after one. A session of another folder is opened there, and as if the program
// were started there: its settings are let in only by the person's word. One
// that cannot be opened leads back to the one before it.
func (a *app) fromSessionToSession(ctx context.Context, f sessionFlags, l launch) error {
	var before *launch
	for {
		a.bound(0)
		o, err := a.prepare(ctx, l)
		var next snap.Request
		if err == nil {
			next, err = a.converse(ctx, f, o, l)
		}
		if o == nil || o.Session == nil { // it was not opened
			if before == nil {
				return err
			}
			l, before = *before, nil
			l.says, l.late = "that session was not opened: "+err.Error(), true
			continue
		}
		if err != nil || next == (snap.Request{}) {
			return err
		}
		was := l
		was.dir, was.root, was.last, was.resume = o.root, o.root, false, o.ID()
		before = &was
		if l, err = a.following(was, o.state, next); err != nil {
			l, before = was, nil
			l.says, l.late = "that session was not opened: "+err.Error(), true
		}
	}
}

// following is the launch that a request asks for, after another one.
func (a *app) following(l launch, state string, next snap.Request) (launch, error) {
	l.resume, l.says, l.late = next.Open, "", false
	if l.mind != nil {
		l.says = lookingAround
	}
	if next.Root != "" {
		l.dir, l.root = next.Root, next.Root
	}
	if next.Fork == "" {
		return l, nil
	}
	store, err := a.sessions(state)
	if err != nil {
		return l, err
	}
	l.resume, err = store.Fork(next.Fork, next.Turn, time.Now())
	return l, err
}

// converse is one session in the terminal, and what the person wants after it.
// The screen comes first: the session begins while keys are taken already.
func (a *app) converse(ctx context.Context, f sessionFlags, o *opened, l launch) (snap.Request, error) {
	if log, err := os.Stat(filepath.Join(o.state, "sessions", o.options.Log.ID(), "events.jsonl")); err == nil {
		a.bound(log.Size())
	}
	t := a.terminal(f, o.settings)
	t.First, t.Says, t.Late = o.first(), l.says, l.late
	p := a.opening(ctx, o)
	t.Session, t.Log, t.Desk, t.Drawn = p, p, a.desk(ctx, p), p.drawn
	out, err := tui.Run(ctx, t)
	p.drawn()
	if p.ready() != nil {
		return snap.Request{}, p.err
	}
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

// short writes a path as people do.
func short(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}
