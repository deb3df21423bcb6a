package gitsafe

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A looker runs the small reading calls that a plan is made of, hardened like
// everything else.
type looker struct {
	g        *Git
	repo     Repo
	git      string
	dir      string
	env      environment
	overlays []Overlay
	readable []string
	records  []record          // the configuration, with what is not in force
	keys     bool              // the run wants the person's keys
	foreign  bool              // programs of the repository run, as the person agreed
	schemes  []string          // for a run over the network
	own      map[string]string // the person's own settings
}

// looker prepares to look at repo from dir.
func (g *Git) looker(repo Repo, dir string) (looker, error) {
	git, err := g.lookGit(repo)
	if err != nil {
		return looker{}, err
	}
	env := g.environ(Call{Class: Read}, repo)
	env.transport(nil, nil)
	return looker{g: g, repo: repo, git: git, dir: dir, env: env}, nil
}

// invocation is one run of git with these arguments.
func (l looker) invocation(env []string, args ...string) Invocation {
	return Invocation{
		Path: l.git, Argv: append([]string{"git", "--no-pager"}, args...), Dir: l.dir, Env: env,
		Foreign: l.foreign, ReadOnly: true, Overlays: l.overlays, Readable: l.readable,
		OutputLimit: l.g.opts.Limits.Output, Timeout: min(l.g.opts.Limits.Time, defaultLimits.Time),
	}
}

// maxSettings bounds what is passed through the environment, which the kernel
// bounds too.
const maxSettings = 4000

// stream runs a reading call and gives its output to w. It returns the exit
// code; anything but an ordinary exit is an error.
func (l looker) stream(ctx context.Context, in io.Reader, w io.Writer, args ...string) (int, error) {
	var errs bytes.Buffer
	inv := l.invocation(l.env.list(), args...)
	inv.Stdin, inv.Stdout, inv.Stderr, inv.OutputLimit = in, w, &errs, l.g.opts.Limits.Output*8
	st, err := l.g.opts.Runner.Run(ctx, inv)
	switch {
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case st.TimedOut:
		next := ""
		if args[0] == "config" {
			next = "look for an include.path in the repository's configuration that names a pipe"
		}
		return 0, refuse(next, "git %s took longer than %s", args[0], inv.Timeout)
	case st.Truncated:
		return 0, refuse("", "git %s printed more than can be looked at", args[0])
	case st.Signalled:
		return 0, refuse("", "git %s was ended by a signal", args[0])
	case st.Code == 128:
		return st.Code, refuse("", "git %s: %s", args[0], firstLine(errs.String()))
	}
	return st.Code, nil
}

// read is stream into memory.
func (l looker) read(ctx context.Context, args ...string) ([]byte, int, error) {
	var out bytes.Buffer
	code, err := l.stream(ctx, nil, &out, args...)
	return out.Bytes(), code, err
}

// line is the one line that a call prints; false when it exits with an error.
func (l looker) line(ctx context.Context, args ...string) (string, bool) {
	out, code, err := l.read(ctx, args...)
	return strings.TrimRight(string(out), "\n"), err == nil && code == 0
}

// oneLine is line for what must be there; the error is in git's own words.
func (l looker) oneLine(ctx context.Context, args ...string) (string, error) {
	out, code, err := l.read(ctx, args...)
	if err == nil && code != 0 {
		err = refuse("", "git %s: exit %d", strings.Join(args, " "), code)
	}
	return strings.TrimRight(string(out), "\n"), err
}

// firstLine is what git says went wrong: its fatal line, or else its first,
// with the one behind it where it ends in a colon.
func firstLine(s string) string {
	first := ""
	for line := range strings.Lines(strings.TrimSpace(s)) {
		switch {
		case first == "" || strings.HasPrefix(line, "fatal: "):
			first = strings.TrimSpace(line)
		case strings.HasSuffix(first, ":"):
			first += " " + strings.TrimSpace(line)
		}
	}
	if first == "" {
		return "failed without a word"
	}
	return cut(first, 300)
}

// settings lists the configuration as git sees it from here.
func (l looker) settings(ctx context.Context) ([]record, error) {
	out, code, err := l.read(ctx, "config", "--list", "-z", "--show-scope", "--show-origin", "--includes")
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, refuse("mend the configuration that it names", "git cannot read its configuration (exit %d)", code)
	}
	records, err := parseRecords(out)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(records, func(r record) bool { return r.scope == "command" && r.key == sentinel }) {
		return nil, refuse("install git 2.31 or newer", "this git does not read settings from its environment")
	}
	records = slices.DeleteFunc(records, func(r record) bool { return r.scope == "command" })
	if l.repo.GitDir != "" && !slices.ContainsFunc(records, func(r record) bool { return r.scope == "local" }) {
		// git also lists the settings where it takes the folder for no
		// repository, since its format is newer: without those of the
		// repository, whose format would be hidden from the run itself.
		if _, _, err := l.read(ctx, "rev-parse", "--git-dir"); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// judge says which records are the person's: of a scope that is theirs, from a
// file that does not lie in the workspace.
func (l looker) judge() judge {
	seen := map[string]bool{}
	return judge{
		agreed: func(d string) bool { return !l.keys && l.g.trusts(d) },
		trusted: func(r record) bool {
			if r.scope != "system" && r.scope != "global" {
				return false
			}
			ok, known := seen[r.origin]
			if !known {
				path, isFile := strings.CutPrefix(r.origin, "file:")
				ok = isFile && filepath.IsAbs(path) && !l.g.inside(path, l.repo)
				seen[r.origin] = ok
			}
			return ok
		},
		defaults: l.g.homeDefaults(),
	}
}

// trusts says that the person has agreed to a hook or driver.
func (g *Git) trusts(digest string) bool { return g.opts.Trust != nil && g.opts.Trust(digest) }

// trusted are the person's own settings, the last value of each.
func (l looker) trusted() map[string]string {
	own := map[string]string{}
	trusted := l.judge().trusted
	for _, r := range l.records {
		if trusted(r) {
			own[r.key] = r.text()
		}
	}
	return own
}

// homeDefaults are what git uses when a key is not set, where that is a file.
func (g *Git) homeDefaults() map[string]string {
	base := g.xdg(Repo{})
	switch {
	case base == "" && g.opts.Home == "":
		return map[string]string{"core.excludesfile": nowhere, "core.attributesfile": nowhere}
	case base == "":
		base = filepath.Join(g.opts.Home, ".config")
	}
	return map[string]string{
		"core.excludesfile":   filepath.Join(base, "git/ignore"),
		"core.attributesfile": filepath.Join(base, "git/attributes"),
	}
}
