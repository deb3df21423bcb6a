package gitsafe

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// An Environment is what makes git safe inside a compound command that runs in
// the sandbox of the caller: the repository still chooses no program, though
// the command itself may start any.
type Environment struct {
	Env      []string  // NAME=VALUE, to be set for the command
	Unset    []string  // names that must not be in its environment; "GIT_*" stands for every other name of git's
	Overlays []Overlay // to be bound read-only: sanitised configuration, empty hooks folder
	Notes    []string  // for the person
}

// EnvironmentFor prepares git for a compound command in dir. Without a
// repository the result holds the general settings.
//
// The error is a *RefusedError when the layout or the configuration is hostile.
// The general settings come back with it: whoever runs the command all the same
// sets at least these.
func (g *Git) EnvironmentFor(ctx context.Context, dir string) (Environment, error) {
	out := Environment{Unset: []string{"GIT_*", "SSH_ASKPASS"}, Env: general(environment{})}
	l, v, err := g.compound(ctx, dir)
	var none *NotRepositoryError
	if errors.As(err, &none) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	// The configuration cannot be written under its cover, so nothing may try.
	settings := l.env.settings
	if g.opts.Overlays {
		// The repository's own is hidden, and there is no value that means none:
		// a program that fails would make every diff fail.
		settings = slices.DeleteFunc(slices.Clone(settings), func(s setting) bool { return strings.EqualFold(s.key, "diff.external") })
	}
	out.Env = general(environment{settings: append(settings, setting{"branch.autosetupmerge", "false"})})
	out.Overlays = overlays(l.repo, v.kept, true)
	for _, k := range v.keys {
		out.Notes = append(out.Notes, visible.Strict("not in force: "+k.Name))
	}
	return out, nil
}

// compound looks at the repository that holds dir, like a plan does.
func (g *Git) compound(ctx context.Context, dir string) (looker, verdict, error) {
	dir, err := g.folder(dir, "")
	if err != nil {
		return looker{}, verdict{}, err
	}
	repo, err := g.locate(dir)
	if err != nil {
		return looker{}, verdict{}, err
	}
	if err := preflight(ctx, repo); err != nil {
		return looker{}, verdict{}, err
	}
	l, err := g.looker(repo, dir)
	if err != nil {
		return looker{}, verdict{}, err
	}
	records, err := g.allSettings(ctx, &l)
	if err != nil {
		return looker{}, verdict{}, err
	}
	v := l.judge().neutralise(records)
	if err := rightTree(repo, v.worktree); err != nil {
		return looker{}, verdict{}, err
	}
	l.env.settings = v.settings
	return l, v, l.addSubmodules(ctx)
}

// general is the part of the environment that does not depend on the person.
func general(e environment) []string {
	for _, v := range fixed {
		if strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "PAGER=") || strings.HasPrefix(v, "GCM_") {
			e.vars = append(e.vars, v)
		}
	}
	// What the sandbox lets through; a helper program named in an address is
	// never among it.
	e.add("GIT_ALLOW_PROTOCOL", "file:https:ssh")
	e.add("GIT_ASKPASS", "")
	return e.list()
}
