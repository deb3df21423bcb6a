package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// undoFlags are the flags of `undo`.
type undoFlags struct {
	event.Undo
	session      string
	list, asJSON bool

	keep, old, edit []string // paths in conflict
	now             string
}

func (a *app) undoCommand() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Put back what the agent changed, and only that",
		Long: `Put back what calls of a session changed in files, those of commands included.
Without a selection that is the last turn that changed anything. What somebody
else changed since stays: changes in other lines are merged, everything else is
a conflict that is named and left as it is (exit 1). An undo is kept like any
other call: --call with its id takes it back.

--keep, --old and --edit resolve a conflict, alone of that path only. What would
be written is shown and asked about; where there is no terminal to ask at, --now
has to say what --dry-run showed.`,
		Example: `  tera-pilot undo --list
  tera-pilot undo --dry-run
  tera-pilot undo --path src/parser.go
  tera-pilot undo --old gen.go          # it is in conflict: take what stood there before the agent
  tera-pilot undo --all --session 20261129-0a1b2c3d4e5f`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.undo(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.session, "session", "", "the session (default: the last one in this folder)")
	cmd.Flags().StringVar(&f.Call, "call", "", "one call, by its id; that of an undo is a redo")
	cmd.Flags().BoolVar(&f.Down, "down", false, "with --call: also all calls after it")
	cmd.Flags().IntVar(&f.Turn, "turn", 0, "all calls of a turn")
	cmd.Flags().StringVar(&f.Path, "path", "", "one file, or a folder with what is in it")
	cmd.Flags().BoolVar(&f.All, "all", false, "the whole session")
	cmd.Flags().BoolVar(&f.list, "list", false, "list what could be undone, and do nothing")
	cmd.Flags().BoolVar(&f.Dry, "dry-run", false, "show what would be done, and do nothing")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "with --list or --dry-run: one JSON object")
	cmd.Flags().StringArrayVar(&f.keep, "keep", nil, "resolve a conflict: what is there stays, and the agent's change counts as taken back")
	cmd.Flags().StringArrayVar(&f.old, "old", nil, "resolve a conflict: take what stood there before the agent")
	cmd.Flags().StringArrayVar(&f.edit, "edit", nil, "resolve a conflict: merge all three in $EDITOR")
	cmd.Flags().StringVar(&f.now, "now", "", "with --keep or --old: only if this is there, as --dry-run says")
	cmd.MarkFlagsMutuallyExclusive("call", "turn", "all", "list")
	cmd.MarkFlagsMutuallyExclusive("list", "dry-run")
	return cmd
}

func (a *app) undo(ctx context.Context, f undoFlags) error {
	dir, err := os.Getwd()
	if err != nil {
		return usage("the current folder is gone: %w", err)
	}
	if f.Turn < 0 {
		return usage("--turn takes the number of a turn, from 1 on")
	}
	if len(f.keep)+len(f.old)+len(f.edit) > 0 {
		if err := a.resolve(ctx, &f, dir); err != nil || f.Dry {
			return err
		}
	} else if f.now != "" {
		return usage("--now belongs to --keep or --old")
	}
	if f.list || f.Dry {
		return a.undoLook(ctx, f, dir)
	}
	a.flags.ignoreProjectConfig = true // what a person typed asks the floor alone
	o, err := a.open(ctx, launch{
		front: audit.FrontCLI, dir: dir, last: f.session == "", resume: f.session,
		mind: new(agent.Mind), // none: a model that cannot be had must not stand in the way
	})
	if err != nil {
		return err
	}
	res, notice, err := undoNow(ctx, o, f.Undo)
	if err != nil {
		return errors.Join(err, o.Close(audit.CloseError))
	}
	out := a.stdout
	if res.Status != "ok" {
		out = a.stderr
	}
	fmt.Fprintln(out, strings.TrimRight(visible.Prose(res.Body), "\n"))
	if res.Status == "ok" {
		fmt.Fprintf(a.stderr, "%s; tera-pilot undo --call %s takes that back\n", visible.Strict(res.Title), visible.Strict(res.Call))
	}
	if notice.Hint != "" {
		fmt.Fprintln(a.stderr, "what the agent committed stays in git: "+visible.Strict(notice.Hint))
	}
	left := res.Status != "ok" || len(res.Conflicts) > 0
	if err := o.Close(audit.CloseOK); err != nil || !left {
		return err
	}
	return &exitError{code: exitFailed}
}

// undoNow sends the undo and waits for its result, and for what is said of it. One
// that has begun is waited for whatever the person does.
func undoNow(ctx context.Context, o *opened, c event.Undo) (res event.CallResult, said event.Notice, err error) {
	err = o.await(context.WithoutCancel(ctx), c, func(b event.Body) (over bool, err error) {
		switch b := b.(type) {
		case event.CallResult:
			res = b
		case event.Notice:
			switch {
			case b.Key == "undo" && res.Call != "":
				said, over = b, true
			case b.Key == "undo" && b.Severity != "info":
				err = errors.New(b.Text)
			}
		case event.AuditHead:
			if b.Broken != "" {
				err = &exitError{exitNoEvidence, errors.New(b.Broken)}
			}
		}
		return over, err
	})
	return res, said, err
}

// undoLook lists or plans, and writes nothing.
func (a *app) undoLook(ctx context.Context, f undoFlags, dir string) error {
	return a.looking(ctx, f, dir, func(store *undo.Store, w *world.World) error {
		if f.list {
			return a.undoList(agent.UndoPoints(store, w), f.asJSON)
		}
		return a.undoPlan(agent.UndoPlan(store, w, f.Undo), f.asJSON)
	})
}

// looking opens what is kept for undo of the session, and the workspace, to look.
func (a *app) looking(ctx context.Context, f undoFlags, dir string, look func(*undo.Store, *world.World) error) (err error) {
	p, err := a.place(dir)
	if err != nil {
		return err
	}
	sessions, err := a.sessionStore()
	if err != nil {
		return err
	}
	id := f.session
	if id == "" {
		if id, err = sessions.Latest(p.root); err != nil {
			return usage("%w", err)
		}
	}
	if !sessions.Has(id) {
		return usage("no session %q: `tera-pilot sessions list` shows those there are", id)
	}
	store, err := a.undoStore(p, sessions, id)
	if err != nil {
		return err
	}
	w, err := world.Open(ctx, world.Options{Root: p.root, Home: p.home, State: p.state, Env: a.env, Setting: ossandbox.Auto, Seconds: p.settings.RunTimeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close(), store.Close()) }()
	return look(store, w)
}

// undoStore opens what is kept for undo of a session.
func (a *app) undoStore(p place, sessions *session.Store, id string) (*undo.Store, error) {
	key, err := sessions.Key(id)
	if err != nil {
		return nil, unlocked(err)
	}
	return undo.Open(undo.Options{Dir: filepath.Join(p.state, "undo", id), Root: p.root, Key: key})
}

func (a *app) undoList(points []event.UndoPoint, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(event.UndoPoints{Points: points})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, p := range points {
		state := "clean"
		conflicts := 0
		for _, f := range p.Files {
			if f.Conflict != "" && !f.Undone {
				conflicts++
			}
		}
		switch {
		case p.Undone && len(p.Files) > 0:
			state = "undone"
		case conflicts > 0:
			state = fmt.Sprintf("%d in conflict", conflicts)
		}
		fmt.Fprintf(w, "%s\tturn %d\t%s\t%s\t%s\t%s\n", visible.Strict(p.Call), p.Turn, p.Time.Local().Format("2006-01-02 15:04:05"), counted(len(p.Files), "file"), state, visible.Strict(p.Title))
		for _, u := range p.Uncovered {
			fmt.Fprintf(w, "\t\t\t\t\tnot covered: %s\n", visible.Strict(u))
		}
	}
	if len(points) == 0 {
		fmt.Fprintln(w, "nothing was changed in this session (another one: `tera-pilot sessions list`, then --session ID)")
	}
	return w.Flush()
}

func (a *app) undoPlan(plan event.UndoPlan, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(a.stdout).Encode(plan); err != nil {
			return err
		}
	} else {
		for _, l := range plan.Lines {
			fmt.Fprintln(a.stdout, l.Text)
		}
		for _, u := range plan.Uncovered {
			fmt.Fprintln(a.stdout, "not covered: "+visible.Strict(u))
		}
		for _, c := range plan.Conflicts {
			a.conflict(c)
		}
	}
	conflict := plan.Problem != ""
	for _, f := range plan.Files {
		if f.Conflict == "" {
			continue
		}
		conflict = true
		if !asJSON && !slices.ContainsFunc(plan.Conflicts, func(c event.UndoConflict) bool { return c.Path == f.Path }) { // not laid out above: too many
			fmt.Fprintf(a.stderr, "conflict: %s %s\n", visible.Strict(f.Path), visible.Strict(f.Conflict))
		}
	}
	switch {
	case plan.Problem != "":
		return errors.New(visible.Strict(plan.Problem))
	case conflict:
		return &exitError{code: exitFailed}
	}
	return nil
}
