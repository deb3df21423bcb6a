package gitsafe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// run implements Run.
func (g *Git) run(ctx context.Context, p Plan, s Streams) (Result, error) {
	now, err := g.plan(ctx, p.dir, p.Call.at(""))
	if err != nil {
		return Result{}, err
	}
	if what := p.differs(now); what != "" {
		return Result{}, &ChangedError{What: what}
	}
	var r Result
	if r.Snapshot, err = g.snapshot(ctx, now); err != nil {
		return Result{}, fmt.Errorf("nothing was run, since what it would destroy could not be saved first: %w", err)
	}
	inv := g.invocation(now)
	hooks, err := g.trustedHooks(now, &inv)
	if err != nil {
		return Result{}, err
	}
	if hooks != "" {
		defer os.RemoveAll(hooks)
	}
	var out, errs bytes.Buffer
	inv.Stdin, inv.Stdout, inv.Stderr = s.Stdin, s.Stdout, s.Stderr
	if inv.Stdout == nil {
		inv.Stdout = &out
	}
	if inv.Stderr == nil {
		inv.Stderr = &errs
	}
	r.ExitStatus, err = g.opts.Runner.Run(ctx, inv)
	r.Stdout, r.Stderr, r.Notes = out.Bytes(), errs.Bytes(), slices.Concat(now.Notes, r.ExitStatus.Notes)
	return r, err
}

// at is the call without its -C, for a folder that has been resolved already.
func (c Call) at(dir string) Call {
	c.Dir = dir
	return c
}

// differs compares two plans of one call by all that a person was shown.
func (p Plan) differs(now Plan) string {
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"the repository", p.Repo, now.Repo},
		{"the command", p.argv, now.argv},
		{"the address", p.Remotes, now.Remotes},
		{"what would be lost", p.Loses, now.Loses},
		{"what is read", p.Reads, now.Reads},
		{"what is written", p.Writes, now.Writes},
		{"a hook", p.Hooks, now.Hooks},
		{"a driver", p.Drivers, now.Drivers},
		{"the configuration", p.look.env.settings, now.look.env.settings},
	} {
		a, errA := json.Marshal(part.a)
		b, errB := json.Marshal(part.b)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return part.name
		}
	}
	return ""
}

// invocation is the run that a plan stands for.
func (g *Git) invocation(p Plan) Invocation {
	l := p.look
	repo := p.Repo
	l.env.vars = g.environ(p.Call, repo).vars
	l.env.transport(slices.Clone(l.schemes), l.own)
	extra := slices.Clone(p.Call.settings)
	if p.Class == Net {
		extra = append(l.credentials(), extra...)
		if l.own["http.followredirects"] == "" { // the answer may not lead to another host
			extra = append(extra, setting{"http.followredirects", "false"})
		}
	}
	inv := l.invocation(l.env.list(extra...), p.argv...)
	inv.ReadOnly, inv.Timeout = p.Class == Read, g.opts.Limits.Time
	if !inv.ReadOnly {
		inv.Writable = writable(p)
	}
	if inv.Keys = l.keys; inv.Keys {
		if s, ok := g.getenv("SSH_AUTH_SOCK"); ok && filepath.IsAbs(s) {
			inv.Sockets = []string{s}
		}
	}
	for _, path := range p.Reads {
		if filepath.IsAbs(path) && (p.Repo.Top == "" || !within(path, p.Repo.Top)) && exists(path) {
			inv.Readable = append(slices.Clone(inv.Readable), path)
		}
	}
	if p.Class == Net {
		inv.Timeout = g.opts.Limits.NetTime
		for _, r := range p.Remotes {
			if r.Scheme != "file" {
				inv.Network = append(inv.Network, Address{Host: r.Host, Port: r.Port})
			}
		}
	}
	return inv
}

// writable are the folders that a writing run needs.
func writable(p Plan) []string {
	dirs := slices.Clone(p.Writes)
	if p.Call.Sub == "worktree remove" {
		for _, d := range p.Writes {
			if !within(d, p.Repo.CommonDir) {
				dirs = append(dirs, filepath.Dir(d)) // the folder itself goes
			}
		}
	}
	for _, d := range []string{p.Repo.CommonDir, p.Repo.GitDir, p.Repo.Top} {
		if d != "" && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// credentials are the person's own helpers, for a run over the network.
func (l looker) credentials() []setting {
	var list []setting
	trusted := l.judge().trusted
	for _, r := range l.records {
		section, _, variable, _ := splitKey(r.key)
		if section == "credential" && variable == "helper" && trusted(r) {
			list = append(list, setting{r.key, r.value})
		}
	}
	return list
}

// maxIncludes is how deep git follows files that include each other
// (git-config(1)).
const maxIncludes = 10

// allSettings lists the configuration until every file that the person's own
// includes can be read: what a runner does not show, git passes over in
// silence, and a name or a mail of that file would be lost.
func (g *Git) allSettings(ctx context.Context, l *looker) ([]record, error) {
	l.readable = g.readable(*l, nil)
	for range maxIncludes {
		records, err := l.settings(ctx)
		if err != nil {
			return nil, err
		}
		seen := l.readable
		l.readable = g.readable(*l, records)
		if !slices.ContainsFunc(included(l.judge(), records), func(path string) bool {
			path = g.atHome(path)
			return slices.Contains(l.readable, path) && !slices.Contains(seen, path)
		}) {
			return records, nil
		}
	}
	return nil, refuse("mend your own configuration", "its files include each other more than %d deep", maxIncludes)
}

// included are the files that the person's own configuration includes, whether
// their condition holds or not.
func included(j judge, records []record) (paths []string) {
	for _, r := range records {
		section, _, variable, _ := splitKey(r.key)
		if variable != "path" || section != "include" && section != "includeif" || !j.trusted(r) {
			continue
		}
		if p := r.value; filepath.IsAbs(p) || strings.HasPrefix(p, "~/") {
			paths = append(paths, p)
		} else {
			paths = append(paths, filepath.Join(filepath.Dir(strings.TrimPrefix(r.origin, "file:")), p))
		}
	}
	return paths
}

// atHome writes a path that begins with the person's home in full.
func (g *Git) atHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && g.opts.Home != "" {
		return filepath.Join(g.opts.Home, rest)
	}
	return path
}

// readable are the files outside of the repository that git reads: the
// person's configuration, and the files that it names.
func (g *Git) readable(l looker, records []record) []string {
	list := slices.Clone(l.repo.Alternates)
	add := func(path string) {
		path = g.atHome(path)
		if filepath.IsAbs(path) && !slices.Contains(list, path) && exists(path) {
			list = append(list, path)
		}
	}
	if x := g.xdg(l.repo); x != "" {
		add(filepath.Join(x, "git/config"))
	}
	for _, path := range included(l.judge(), records) {
		if fi, err := os.Stat(g.atHome(path)); err == nil && fi.Mode().IsRegular() && !g.inside(g.atHome(path), l.repo) {
			add(path)
		}
	}
	trusted := l.judge().trusted
	for _, r := range records {
		if !trusted(r) {
			continue
		}
		add(strings.TrimPrefix(r.origin, "file:"))
		switch r.key {
		case "core.excludesfile", "core.attributesfile", "commit.template", "gpg.ssh.allowedsignersfile", "mailmap.file":
			add(r.value)
		case "user.signingkey":
			add(r.value)
			add(strings.TrimSuffix(r.value, ".pub"))
		}
	}
	for _, path := range g.homeDefaults() {
		add(path)
	}
	return list
}

// trustedHooks copies the hooks that the person has agreed to, and points git
// at the copies. It returns the folder, to be removed.
func (g *Git) trustedHooks(p Plan, inv *Invocation) (string, error) {
	if !slices.ContainsFunc(p.Hooks, func(h Offer) bool { return h.Runs }) {
		return "", nil
	}
	dir, err := copyHooks(g.opts.Private, p.Hooks, g.opts.Now())
	if err != nil {
		return "", err
	}
	for i, v := range inv.Env {
		if n, ok := strings.CutPrefix(v, "GIT_CONFIG_KEY_"); ok && strings.HasSuffix(n, "=core.hookspath") {
			number, _, _ := strings.Cut(n, "=")
			inv.Env[i+1] = "GIT_CONFIG_VALUE_" + number + "=" + dir
		}
	}
	inv.Readable = append(slices.Clone(inv.Readable), dir)
	return dir, nil
}

// gitFailed says in git's own words why a reading call failed.
func gitFailed(c Call, r Result) error {
	switch {
	case r.TimedOut:
		return refuse("", "%s took too long", c)
	case r.Truncated:
		return refuse("", "%s printed more than fits", c)
	}
	return refuse("", "%s: %s (exit %d)", c, firstLine(string(r.Stderr)), r.Code)
}
