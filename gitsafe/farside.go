package gitsafe

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packProgram names the program on the far side, which the repository could
// otherwise choose. For a folder of this machine that program runs here, under
// the configuration of the target: it gets a hardened one, too.
func (p *Plan) packProgram(ctx context.Context) error {
	verb, option := "upload-pack", "--upload-pack"
	if p.Call.Sub == "push" {
		verb, option = "receive-pack", "--receive-pack"
	}
	program := "git-" + verb
	var schemes []string
	for i, r := range p.Remotes {
		schemes = append(schemes, r.Scheme)
		if r.Scheme != "file" {
			continue
		}
		if len(p.Remotes) > 1 {
			return refuse("push to one at a time", "one of several addresses is a folder of this machine")
		}
		target, settings, err := p.look.target(ctx, p.base(), r.Path)
		if err != nil {
			return err
		}
		p.Remotes[i].Path = target
		program = shellSettings(settings) + "git " + verb
		if r.Push {
			p.Writes = append(p.Writes, target)
		} else {
			p.Reads = append(p.Reads, target)
		}
	}
	n := len(strings.Fields(p.Call.Sub + " " + p.Call.spec.forced))
	p.argv = slices.Insert(p.argv, n, option+"="+program)
	p.look.schemes = schemes
	return nil
}

// base is where relative addresses count from: git goes to the top first.
func (p *Plan) base() string {
	if p.Repo.Top != "" {
		return p.Repo.Top
	}
	return p.dir
}

// target finds the repository behind a path, and the settings under which a
// git may serve it.
func (l looker) target(ctx context.Context, base, path string) (string, []setting, error) {
	root := against(base, path)
	dir := ""
	for _, suffix := range []string{"/.git", "", ".git/.git", ".git"} { // path.c, enter_repo
		if real, err := filepath.EvalSymlinks(root + suffix); err == nil && isGitDir(real) {
			dir = real
			break
		}
	}
	if dir == "" {
		return "", nil, refuse("", "no repository at %s", root)
	}
	repo := Repo{Top: dir, GitDir: dir, CommonDir: dir}
	if err := preflight(ctx, repo); err != nil {
		return "", nil, err
	}
	inner, err := l.g.looker(Repo{}, dir)
	if err != nil {
		return "", nil, err
	}
	inner.env.add("GIT_DIR", dir)
	records, err := inner.settings(ctx)
	if err != nil {
		return "", nil, err
	}
	v := inner.judge().neutralise(records)
	if len(v.never) > 0 {
		return "", nil, refuse("", "the repository %s sets %s, which cannot be overridden", dir, v.never[0])
	}
	fixed := []setting{{"receive.denycurrentbranch", "refuse"}, {"receive.autogc", "false"}, {"core.alternaterefscommand", "true"}}
	return dir, slices.Concat(baseline, v.settings, fixed), nil
}

// shellSettings writes settings as assignments in front of a command: git
// clears its variables for the far side, and starts it through a shell.
func shellSettings(settings []setting) string {
	var b strings.Builder
	b.WriteString("GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings)))
	for i, s := range settings {
		n := strconv.Itoa(i)
		b.WriteString(" GIT_CONFIG_KEY_" + n + "=" + shellQuote(s.key))
		b.WriteString(" GIT_CONFIG_VALUE_" + n + "=" + shellQuote(s.value))
	}
	return b.String() + " "
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
