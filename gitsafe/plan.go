package gitsafe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// plan implements Plan.
func (g *Git) plan(ctx context.Context, dir string, c Call) (Plan, error) {
	if c.spec == nil || c.Class == Unknown {
		return Plan{}, refuse("", "this call has not passed Check")
	}
	dir, err := g.folder(dir, c.Dir)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Call: c, Class: c.Class, dir: dir, CanLose: c.Loses, argv: c.Argv()}
	if slices.Contains([]string{"version", "init", "clone"}, c.Sub) {
		return p, g.planApart(ctx, &p)
	}
	if p.Repo, err = g.locate(dir); err != nil {
		return Plan{}, err
	}
	if err := preflight(ctx, p.Repo); err != nil {
		return Plan{}, err
	}
	if p.look, err = g.looker(p.Repo, dir); err != nil {
		return Plan{}, err
	}
	for _, step := range []func(context.Context, *Plan) error{
		g.planConfig, planState, g.planOperands, planRemotes, planLosses, g.planReach,
	} {
		if err := step(ctx, &p); err != nil {
			return Plan{}, err
		}
	}
	return p, nil
}

// folder is the working folder of a call, links resolved, inside the workspace.
func (g *Git) folder(dir, sub string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("gitsafe: %q is not absolute", dir)
	}
	real, err := filepath.EvalSymlinks(against(dir, sub))
	if err != nil {
		return "", err
	}
	if !isDir(real) {
		return "", refuse("", "%s is not a folder", real)
	}
	if g.root != "" && !within(real, g.root) {
		return "", refuse("", "%s lies outside of the workspace %s", real, g.root)
	}
	return real, nil
}

// locate finds the repository. One that lies above the workspace is used, and
// reported; the home folder and the root of the disk are not.
func (g *Git) locate(dir string) (Repo, error) {
	repo, err := Find(dir)
	if err != nil {
		return Repo{}, err
	}
	if g.root != "" && !within(repo.Top, g.root) {
		home, _ := filepath.EvalSymlinks(g.opts.Home)
		if repo.Top == home || repo.Top == "/" {
			return Repo{}, &NotRepositoryError{Dir: dir}
		}
		repo.AboveRoot = true
	}
	repo.Operation = operation(repo.GitDir)
	if repo.Alternates, err = alternates(repo.CommonDir); err != nil {
		return Repo{}, err
	}
	return repo, noPipes(repo)
}

// planConfig decides what is in force in the repository.
func (g *Git) planConfig(ctx context.Context, p *Plan) error {
	v, hides, err := g.configure(ctx, p)
	if err != nil {
		return err
	}
	if err := rightTree(p.Repo, v.worktree); err != nil {
		return err
	}
	if p.Call.Sub == "blame" && !hides {
		if err := ownFiles(p.Repo, v.revFiles); err != nil {
			return err
		}
	}
	if g.opts.Overlays {
		p.look.overlays = overlays(p.Repo, v.kept, hides)
	}
	p.Hooks = offers(p.Call, hooksDir(p.Repo, p.look.records))
	g.agree(p)
	p.unrun()
	if p.Call.spec.tree && !strings.Contains(p.Call.spec.forced, "--ignore-submodules") {
		return p.look.addSubmodules(ctx)
	}
	return nil
}

// note adds a line for the person.
func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, visible.Strict(fmt.Sprintf(format, args...)))
}

// agree marks what the person has agreed to, and tells of the rest.
func (g *Git) agree(p *Plan) {
	for i, h := range p.Hooks {
		agreed := g.opts.Private != "" && g.trusts(h.Digest)
		p.Hooks[i].Runs = agreed && !p.look.keys
		p.look.foreign = p.look.foreign || p.Hooks[i].Runs
		switch {
		case p.Hooks[i].Runs:
			p.note("the hook %s runs, as you agreed (%s, %.12s)", h.Name, h.Text, h.Digest)
		case agreed:
			p.note("the hook %s was not run: what needs your keys runs outside of the sandbox (%s)", h.Name, h.Text)
		default:
			p.note("the hook %s was not run (%s)", h.Name, h.Text)
		}
	}
	for i, d := range p.Drivers {
		p.Drivers[i].Runs = !p.look.keys && g.trusts(d.Digest)
		p.look.foreign = p.look.foreign || p.Drivers[i].Runs
	}
}

// unrun says which programs of the configuration the call would have started.
func (p *Plan) unrun() {
	if p.Class == Read || !p.Call.spec.tree {
		return
	}
	for _, d := range p.Drivers {
		if d.Runs {
			p.note("the filter %s runs, as you agreed (%s)", d.Name, d.Text)
		} else {
			p.note("the filter %s of the repository was not run (%s)", d.Name, d.Text)
		}
	}
	for _, k := range p.Neutralised {
		if keyPattern("hook.*.command").match(k.Name) {
			p.note("the configured hook %s was not run (%s)", k.Name, k.Value)
		}
	}
	if !slices.Contains([]string{"add", "commit", "mv", "rm", "apply"}, p.Call.Sub) && p.look.own["filter.lfs.smudge"] != "" {
		if text, err := roots.ReadPlain(filepath.Join(p.Repo.Top, ".gitattributes"), maxAttributes); err == nil && strings.Contains(string(text), "filter=lfs") {
			p.note("large files stay pointers; git lfs pull, run by yourself, fetches them")
		}
	}
}

// configure lists the configuration, and puts the verdict over it in force. It
// says whether the sandbox hides the configuration of the repository.
func (g *Git) configure(ctx context.Context, p *Plan) (verdict, bool, error) {
	records, err := g.allSettings(ctx, &p.look)
	if err != nil {
		return verdict{}, false, err
	}
	p.look.records = records
	p.look.own = p.look.trusted()
	p.look.keys = p.Class == Net || p.look.signs(p.Call)
	v := p.look.judge().neutralise(records)
	p.look.env.settings = v.settings
	p.Neutralised, p.Drivers = v.keys, v.drivers
	hides := g.opts.Overlays && !p.Call.config && !p.look.keys
	return v, hides, v.refusal(p.Call, hides)
}

// rightTree compares core.worktree with the tree that is in use.
func rightTree(repo Repo, key string) error {
	if key == "" {
		return nil
	}
	said, err := filepath.EvalSymlinks(against(repo.GitDir, key))
	if err != nil || said != repo.Top {
		return refuse("git config --unset core.worktree, run by yourself",
			"the repository says that its working tree is %q, not %s", key, repo.Top)
	}
	return nil
}

// ownFiles refuses a blame.ignoreRevsFile that is no file of the working tree:
// git prints the first line of what it cannot read.
func ownFiles(repo Repo, files []string) error {
	for _, f := range files {
		if real, err := filepath.EvalSymlinks(filepath.Join(repo.Top, f)); f != "" && (err != nil || filepath.IsAbs(f) || !within(real, repo.Top)) {
			return refuse("remove it from the configuration", "blame.ignoreRevsFile is %q, which is no file of the working tree", f)
		}
	}
	return nil
}

// refusal says whether keys that no override reaches forbid the operation.
func (v verdict) refusal(c Call, hidden bool) error {
	merges := slices.Contains([]string{"merge", "pull", "rebase", "cherry-pick", "revert"}, c.Sub)
	switch {
	case len(v.settings) > maxSettings:
		return refuse("remove what is not needed", "the configuration of the repository has %d keys that would have to be overridden", len(v.settings))
	case hidden:
		return nil
	case len(v.never) > 0:
		return refuse("remove it from the configuration", "the repository sets %s, which cannot be overridden", v.never[0])
	case merges && len(v.noMerge) > 0:
		return refuse("move it to your own configuration, or remove it",
			"the repository sets %s, which could start a program named git-merge-…", v.noMerge[0])
	case c.Class == Net && len(v.noNet) > 0:
		return refuse("move it to your own configuration, or remove it",
			"the repository sets %s, which could lead the connection elsewhere", v.noNet[0])
	}
	return nil
}

// hooksDir is where plain git would look for hooks.
func hooksDir(repo Repo, records []record) string {
	dir := filepath.Join(repo.CommonDir, "hooks")
	for _, r := range records {
		if r.key == "core.hookspath" && r.value != "" {
			dir = against(repo.Top, r.value)
		}
	}
	return dir
}

// planState refuses to continue what somebody else may have prepared.
func planState(_ context.Context, p *Plan) error {
	if p.Call.args.has("--continue", "--skip") {
		return savedState(p.Repo.GitDir)
	}
	return nil
}

// planReach says which folders are written, and what lies outside.
func (g *Git) planReach(_ context.Context, p *Plan) error {
	if p.Class != Read {
		p.Writes = append(p.Writes, p.Repo.GitDir)
		if p.Repo.CommonDir != p.Repo.GitDir {
			p.Writes = append(p.Writes, p.Repo.CommonDir)
		}
		p.Writes = append(p.Writes, treeWrites(p)...)
	}
	g.outside(p)
	return nil
}

// treeWrites are the paths of the working tree that a call can change.
func treeWrites(p *Plan) []string {
	c := p.Call
	var paths []string
	switch c.Sub {
	case "add", "commit", "branch", "tag", "stash drop", "stash clear", "remote add", "remote set-url",
		"remote remove", "remote rm", "remote rename", "fetch", "push", "ls-remote":
		return nil
	case "reset":
		if !c.args.has("--hard", "--merge", "--keep") {
			return nil
		}
	case "rm", "mv", "restore", "checkout", "clean":
		for _, w := range c.Paths {
			paths = append(paths, against(p.dir, w))
		}
	case "worktree add", "worktree remove":
		target := against(p.dir, c.Words[0])
		if real, err := resolveNew(target); err == nil {
			target = real
		}
		return []string{target}
	}
	if len(paths) == 0 {
		return []string{p.Repo.Top}
	}
	return paths
}

func (g *Git) outside(p *Plan) {
	if g.root == "" {
		return
	}
	for _, path := range slices.Concat(p.Reads, p.Writes) {
		if filepath.IsAbs(path) && !within(path, g.root) && !slices.Contains(p.Outside, path) {
			p.Outside = append(p.Outside, path)
		}
	}
}

// planApart plans what needs no repository.
func (g *Git) planApart(ctx context.Context, p *Plan) error {
	var err error
	if p.look, err = g.looker(Repo{}, p.dir); err != nil {
		return err
	}
	p.look.env.add("GIT_DIR", nowhere) // no repository around this folder has a say
	if p.Call.Sub == "version" {
		return nil
	}
	if _, _, err := g.configure(ctx, p); err != nil {
		return err
	}
	target := p.dir
	if n := len(p.Call.Words); n > 0 && (p.Call.Sub == "init" || n > 1) {
		target = against(p.dir, p.Call.Words[n-1])
	} else if p.Call.Sub == "clone" {
		name, err := cloneName(p.Call.Words[0])
		if err != nil {
			return err
		}
		target = filepath.Join(p.dir, name)
		p.argv = append(p.argv, name)
	}
	if target, err = resolveNew(target); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(target, ".git")); err == nil {
		return refuse("", "%s is a repository already", target)
	}
	p.Writes = []string{target}
	if p.Call.Sub == "clone" {
		if err := planRemotes(ctx, p); err != nil {
			return err
		}
	}
	g.outside(p)
	return nil
}

// resolveNew resolves the links of a path whose last parts may not exist.
func resolveNew(path string) (string, error) {
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		real, err := filepath.EvalSymlinks(p)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if _, lerr := os.Lstat(p); lerr == nil || !errors.Is(err, os.ErrNotExist) {
			return "", refuse("", "%s is a link that leads nowhere", p)
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// cloneName is the folder that git would make for an address.
func cloneName(address string) (string, error) {
	name := strings.TrimRight(address, "/")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/.git"), ".git")
	name = name[strings.LastIndexAny(name, "/:")+1:]
	if name == "" || name == "." || name == ".." || strings.HasPrefix(name, "-") {
		return "", refuse("name one", "no folder name follows from %q", address)
	}
	return name, nil
}
