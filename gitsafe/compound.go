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

// noRepository is where git looks for a repository in a command that works in
// one which was refused: nowhere, with a name that says so in git's own message.
const noRepository = "/refused-by-tera-pilot"

// EnvironmentFor prepares git for a compound command that works in dir, and in
// the folders that it changes to. Without a repository the result holds the
// general settings.
//
// The error is a *RefusedError when the layout or the configuration of any of
// the repositories is hostile. The general settings come back with it, by which
// git finds no repository at all: whoever runs the command all the same sets at
// least these.
func (g *Git) EnvironmentFor(ctx context.Context, dir string, more ...string) (Environment, error) {
	out := Environment{Unset: []string{"GIT_*", "SSH_ASKPASS"}}
	var settings []setting
	seen := map[string]bool{} // working trees
	for _, d := range append([]string{dir}, more...) {
		if r, err := Find(d); err == nil && seen[r.Top] {
			continue
		}
		l, v, err := g.compound(ctx, d)
		var none *NotRepositoryError
		if errors.As(err, &none) {
			continue
		}
		if err != nil {
			refused := environment{}
			refused.add("GIT_DIR", noRepository)
			return Environment{Unset: out.Unset, Env: general(refused)}, err
		}
		for _, s := range l.env.settings {
			if hidden := g.opts.Overlays && diffProgram(s.key); !hidden && !slices.Contains(settings, s) {
				settings = append(settings, s)
			}
		}
		seen[l.repo.Top] = true
		out.cover(l, v)
	}
	if len(settings) > 0 || len(out.Overlays) > 0 {
		// The configuration cannot be written under its cover: nothing may try.
		settings = append(settings, setting{"branch.autosetupmerge", "false"})
	}
	out.Env = general(environment{settings: settings})
	return out, nil
}

// diffProgram tells the keys for which no value means none: a program that fails
// makes every diff fail. Where the configuration is covered, none is needed.
func diffProgram(key string) bool {
	key = strings.ToLower(key)
	return key == "diff.external" || strings.HasPrefix(key, "diff.") && (strings.HasSuffix(key, ".command") || strings.HasSuffix(key, ".textconv"))
}

// cover adds what hides the configuration of one repository.
func (e *Environment) cover(l looker, v verdict) {
	for _, o := range overlays(l.repo, v.kept, true) {
		if !slices.ContainsFunc(e.Overlays, func(have Overlay) bool { return have.Path == o.Path }) {
			e.Overlays = append(e.Overlays, o)
		}
	}
	for _, k := range v.keys {
		e.Notes = append(e.Notes, visible.Strict("not in force: "+k.Name))
	}
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
