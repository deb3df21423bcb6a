package gitsafe

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
)

// Git starts git inside populated submodules to see whether they are dirty.
// The overrides reach that git, but drivers that only a submodule defines have
// to be known by name: so their configuration is listed too.

// maxSubmodules and maxNesting bound what is looked at; beyond them the call
// is refused.
const (
	maxSubmodules = 500
	maxNesting    = 8
)

// addSubmodules extends the settings of l by what the submodules of its
// repository need, at any depth.
func (l *looker) addSubmodules(ctx context.Context) error {
	return l.descend(ctx, *l, 0, new(int))
}

// descend looks at the submodules of the repository that at looks at.
func (l *looker) descend(ctx context.Context, at looker, depth int, seen *int) error {
	links := &gitlinks{}
	at.dir = at.repo.Top
	if _, err := at.stream(ctx, nil, links, "ls-files", "-s", "-z"); err != nil {
		return err
	}
	for _, path := range links.paths {
		sub, err := repositoryAt(filepath.Join(at.repo.Top, path))
		if err != nil {
			return err
		}
		if sub.Top == "" {
			continue // not checked out
		}
		if *seen++; *seen > maxSubmodules || depth > maxNesting {
			return refuse("", "more submodules than can be looked at")
		}
		if err := l.addSubmodule(ctx, sub, depth, seen); err != nil {
			return err
		}
	}
	return nil
}

func (l *looker) addSubmodule(ctx context.Context, sub Repo, depth int, seen *int) error {
	if err := preflight(ctx, sub); err != nil {
		return err
	}
	inner, err := l.g.looker(sub, sub.Top)
	if err != nil {
		return err
	}
	records, err := inner.settings(ctx)
	if err != nil {
		return err
	}
	v := inner.judge().neutralise(records)
	if err := rightTree(sub, v.worktree); err != nil {
		return err
	}
	if len(v.never) > 0 {
		return refuse("remove it from the configuration of "+sub.Top, "a submodule sets %s, which cannot be overridden", v.never[0])
	}
	inner.env.settings = v.settings
	for _, s := range v.settings {
		if !slices.Contains(l.env.settings, s) {
			l.env.settings = append(l.env.settings, s)
		}
	}
	return l.descend(ctx, inner, depth+1, seen)
}

// gitlinks picks the submodules out of `git ls-files -s -z` without keeping
// the rest, which may be long.
type gitlinks struct {
	paths []string
	part  []byte
}

func (g *gitlinks) Write(p []byte) (int, error) {
	n := len(p)
	for {
		entry, rest, ok := bytes.Cut(p, []byte{0})
		g.part = append(g.part, entry...)
		if !ok {
			return n, nil
		}
		if meta, path, ok := bytes.Cut(g.part, []byte{'\t'}); ok && bytes.HasPrefix(meta, []byte("160000 ")) {
			g.paths = append(g.paths, string(path))
		}
		g.part, p = g.part[:0], rest
	}
}
