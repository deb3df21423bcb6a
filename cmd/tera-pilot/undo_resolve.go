package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	ed "github.com/tera-pilot/tera-pilot/internal/editor"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// conflict prints the three sides of a conflict, and what resolves it.
func (a *app) conflict(c event.UndoConflict) {
	fmt.Fprintf(a.stdout, "\nconflict in %s: %s\n", visible.Strict(c.Path), visible.Strict(c.Why))
	for _, l := range c.Lines {
		fmt.Fprintln(a.stdout, l.Text)
	}
	for _, how := range c.Can {
		switch how {
		case event.ResolveKeep, event.ResolveOld:
			fmt.Fprintf(a.stdout, "resolve   tera-pilot undo --%s %s --now %s\n", how, visible.Strict(shellWord(c.Path)), c.Now)
		case event.ResolveText:
			fmt.Fprintf(a.stdout, "resolve   tera-pilot undo --edit %s\n", visible.Strict(shellWord(c.Path)))
		}
	}
}

// shellWord is a name as a shell takes it as one word.
func shellWord(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+@%:,=-") == "" && name[0] != '-' {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// resolve makes the flags' words on conflicts those of the undo, after showing
// what would be written and asking. The words are on what was shown.
func (a *app) resolve(ctx context.Context, f *undoFlags, dir string) error {
	names := slices.Concat(f.keep, f.old, f.edit)
	asks := isTerminal(a.stdin) && isTerminal(a.stdout)
	chosen := f.Call != "" || f.Turn != 0 || f.All || f.Path != ""
	switch {
	case f.list, f.asJSON:
		return usage("--keep, --old and --edit do something: --list and --json do not")
	case len(names) > 1 && !chosen:
		return usage("several conflicts are resolved with --call, --turn, --all or --path, which say of what; alone, one at a time")
	case len(f.edit) > 0 && !asks:
		return usage("there is no terminal for an editor: `tera-pilot undo --dry-run` shows the conflict, --keep or --old resolve it")
	case f.now != "" && len(names) != 1:
		return usage("--now belongs to one --keep or --old")
	}
	if !chosen {
		f.Path = names[0]
	}
	return a.looking(ctx, *f, dir, func(store *undo.Store, w *world.World) error {
		plan := agent.UndoPlan(store, w, f.Undo)
		if plan.Problem != "" {
			return errors.New(visible.Strict(plan.Problem))
		}
		for how, paths := range map[string][]string{event.ResolveKeep: f.keep, event.ResolveOld: f.old, event.ResolveText: f.edit} {
			for _, name := range paths {
				r, err := a.resolution(plan, w, name, how, f.now)
				if err != nil {
					return err
				}
				f.Resolve = append(f.Resolve, r)
			}
		}
		return a.sure(store, w, f, asks)
	})
}

// resolution is one word, on what is there as plan shows it.
func (a *app) resolution(plan event.UndoPlan, w *world.World, name, how, now string) (r event.Resolution, err error) {
	at, err := w.Locate(name)
	if err != nil {
		return r, usage("%w", err)
	}
	i := slices.IndexFunc(plan.Conflicts, func(c event.UndoConflict) bool { return c.Path == at })
	if i < 0 {
		return r, usage("%s is not in conflict: `tera-pilot undo --dry-run` shows what is", visible.Strict(name))
	}
	c := plan.Conflicts[i]
	switch {
	case !slices.Contains(c.Can, how):
		return r, usage("--%s cannot resolve the conflict in %s: `tera-pilot undo --dry-run --path %s` shows its sides", flagOf(how), visible.Strict(name), visible.Strict(shellWord(name)))
	case now != "" && now != c.Now:
		return r, &exitError{exitFailed, fmt.Errorf("%s is not what --now names: it was changed since, and nothing was done", visible.Strict(name))}
	}
	r = event.Resolution{Path: name, How: how, Now: c.Now}
	if how == event.ResolveText {
		r.Text, err = a.merged(c)
	}
	return r, err
}

func flagOf(how string) string {
	if how == event.ResolveText {
		return "edit"
	}
	return how
}

// merged lets the person write the text that goes in the place of a conflict.
func (a *app) merged(c event.UndoConflict) ([]byte, error) {
	e, err := ed.Open(a.env, path.Base(c.Path), string(c.Merged), a.stdin)
	if err != nil {
		return nil, fmt.Errorf("editor: %w", err)
	}
	e.SetStdin(a.stdin)
	e.SetStdout(a.stdout)
	e.SetStderr(a.stderr)
	err = e.Run()
	text, read := e.Text()
	if err == nil {
		err = read
	}
	return []byte(text), err
}

// sure shows what an undo with words on conflicts would do, and asks. Without a
// terminal --now is the word that it was looked at.
func (a *app) sure(store *undo.Store, w *world.World, f *undoFlags, asks bool) error {
	if err := a.undoPlan(agent.UndoPlan(store, w, f.Undo), false); err != nil && !isExit(err) {
		return err
	}
	switch {
	case f.Dry, f.now != "":
		return nil
	case !asks:
		return usage("there is no terminal to ask at: look with `tera-pilot undo --dry-run`, then add the --now that it shows")
	case !a.saysYes("\ndo that? Type yes: "):
		return &exitError{exitFailed, errors.New("nothing was done")}
	}
	return nil
}

// isExit says that an error is only an exit code: what there was to say was said.
func isExit(err error) bool {
	e, ok := errors.AsType[*exitError](err)
	return ok && e.err == nil
}
