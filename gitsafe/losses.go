package gitsafe

import (
	"context"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// Bounds of what a snapshot takes of files that git does not track.
const (
	maxSavedFiles = 5000
	maxSavedBytes = 64 << 20
	maxListed     = 50000
)

// planLosses lists what the call would destroy, and what the snapshot keeps.
func planLosses(ctx context.Context, p *Plan) error {
	if !p.CanLose {
		return p.keepPopped(ctx)
	}
	c := p.Call
	switch c.Sub {
	case "reset":
		if err := p.losesTracked(ctx, "HEAD"); err != nil {
			return err
		}
		return p.losesCommits(ctx)
	case "checkout", "switch":
		return p.losesCheckout(ctx)
	case "restore":
		return p.losesRestore(ctx)
	case "rm":
		return p.losesTracked(ctx, "HEAD", c.Paths...)
	case "clean":
		return p.losesUntracked(ctx)
	case "merge", "rebase", "cherry-pick", "revert":
		return p.losesTracked(ctx, "HEAD")
	case "stash drop", "stash clear":
		return p.losesStashes(ctx)
	case "branch":
		return p.losesBranches(ctx)
	case "tag":
		return p.losesTags(ctx)
	case "fetch":
		for _, w := range c.Words[1:] {
			_, dst, _ := strings.Cut(w, ":")
			p.losesRef(ctx, "branch", fullName(dst), dst)
		}
	case "push":
		p.losesRemote(ctx)
	case "worktree remove":
		p.Loses = append(p.Loses, Loss{Kind: "worktree", Name: c.Words[0], Detail: "the folder, with files that git ignores"})
	}
	return nil
}

// losesTracked lists the tracked files whose content differs from rev (empty
// is the index).
func (p *Plan) losesTracked(ctx context.Context, rev string, paths ...string) error {
	if rev == "HEAD" {
		if _, ok := p.look.line(ctx, "rev-parse", "--verify", "-q", "HEAD"); !ok {
			rev, _ = p.look.line(ctx, "hash-object", "-t", "tree", "--stdin") // no commit yet: the empty tree
		}
	}
	args := []string{"--literal-pathspecs", "diff", "--numstat", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv"}
	if rev != "" {
		args = append(args, rev)
	}
	out, _, err := p.look.read(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		f := strings.SplitN(strings.TrimLeft(entry, "\n"), "\t", 3)
		if len(f) != 3 {
			continue
		}
		loss := Loss{Kind: "modified", Name: f[2], Added: count(f[0]), Removed: count(f[1]), Saved: true}
		if n := len(p.Loses); n > 0 && p.Loses[n-1].Name == loss.Name { // a conflict has two lines
			p.Loses[n-1] = loss
			continue
		}
		p.Loses = append(p.Loses, loss)
	}
	return nil
}

func count(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// losesCommits: a reset to another revision takes commits off the branch.
func (p *Plan) losesCommits(ctx context.Context) error {
	if len(p.Call.Words) == 0 {
		return nil
	}
	target := atDash(p.Call.Words[0])
	n, ok := p.look.line(ctx, "rev-list", "--count", target+"..HEAD")
	if !ok || n == "0" {
		return nil
	}
	head, _ := p.look.line(ctx, "rev-parse", "--verify", "-q", "HEAD")
	subject, _ := p.look.line(ctx, "log", "-1", "--no-show-signature", "--format=%s", "HEAD")
	p.targets = append(p.targets, head)
	p.Loses = append(p.Loses, Loss{Kind: "commits", Name: "HEAD", Detail: n + " leave the branch, the newest: " + cut(subject, 100), Saved: true})
	return nil
}

func (p *Plan) losesCheckout(ctx context.Context) error {
	c := p.Call
	for _, name := range c.args.values("-B", "--force-create") {
		p.losesRef(ctx, "branch", "refs/heads/"+name, name)
	}
	switch {
	case c.args.has("-f", "--force", "--discard-changes") && len(c.Paths) == 0:
		return p.losesTracked(ctx, "HEAD")
	case c.args.has("-B", "--force-create"):
		return nil
	case len(c.Paths) > 0 && (len(c.Words) > 0 || c.args.has("--ours", "--theirs", "-m", "--merge", "--conflict")):
		return p.losesTracked(ctx, "HEAD", c.Paths...)
	case len(c.Paths) > 0:
		return p.losesTracked(ctx, "", c.Paths...)
	}
	// Without "--" the first word may be a revision and the rest paths.
	paths := c.Words
	rev := ""
	if _, ok := p.look.line(ctx, "rev-parse", "--verify", "-q", atDash(c.Words[0])+"^{tree}"); ok {
		paths, rev = c.Words[1:], "HEAD"
	}
	return p.losesTracked(ctx, rev, paths...)
}

func (p *Plan) losesRestore(ctx context.Context) error {
	c := p.Call
	if c.args.has("-S", "--staged", "--source", "--ours", "--theirs", "-m", "--merge", "--conflict") {
		return p.losesTracked(ctx, "HEAD", c.Paths...)
	}
	return p.losesTracked(ctx, "", c.Paths...)
}

// losesUntracked asks git itself what a clean would remove.
func (p *Plan) losesUntracked(ctx context.Context) error {
	// With -n, which beats -f; -f given twice also removes whole repositories.
	args := []string{"--literal-pathspecs", "clean", "-n"}
	for _, it := range p.Call.args.items {
		if it.name != "-q" && it.name != "--quiet" {
			args = append(args, it.String())
		}
	}
	out, code, err := p.look.read(ctx, append(append(args, "--"), p.Call.Paths...)...)
	if err != nil {
		return err
	}
	if code != 0 {
		return refuse("", "git clean -n failed with exit %d", code)
	}
	kind := "untracked"
	if p.Call.args.has("-x", "-X") {
		kind = "untracked or ignored"
	}
	for line := range strings.Lines(string(out)) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "Would remove ")
		if !ok {
			continue
		}
		if err := p.losesFiles(kind, filepath.Join(p.dir, unquote(name))); err != nil {
			return err
		}
	}
	return p.affordable(kind)
}

// losesFiles lists a file, or every file below a folder.
func (p *Plan) losesFiles(kind, root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return refuse("", "cannot look at %s: %v", path, err)
		}
		if e.IsDir() {
			return nil
		}
		if len(p.Loses) >= maxListed {
			return refuse("clean one folder at a time", "more than %d files would be removed", maxListed)
		}
		loss := Loss{Kind: kind, Saved: e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0}
		if loss.Name, err = filepath.Rel(p.Repo.Top, path); err != nil {
			return err
		}
		if fi, err := e.Info(); err == nil {
			loss.Bytes = fi.Size()
		}
		p.Loses = append(p.Loses, loss)
		return nil
	})
}

// affordable gives up saving untracked files when there are too many of them.
func (p *Plan) affordable(kind string) error {
	var bytes int64
	for _, l := range p.Loses {
		bytes += l.Bytes
	}
	if len(p.Loses) <= maxSavedFiles && bytes <= maxSavedBytes {
		return nil
	}
	for i := range p.Loses {
		if p.Loses[i].Kind == kind {
			p.Loses[i].Saved = false
		}
	}
	p.note("%d files, %d MB, are too much to be saved first", len(p.Loses), bytes>>20)
	return nil
}

func (p *Plan) losesStashes(ctx context.Context) error {
	args := []string{"log", "-g", "--no-show-signature", "--format=%H%x00%gd%x00%gs", "refs/stash", "--"}
	if p.Call.Sub == "stash drop" {
		name := "stash@{0}"
		if len(p.Call.Words) > 0 {
			name = p.Call.Words[0]
		}
		if strings.Trim(name, "0123456789") == "" {
			name = "stash@{" + name + "}"
		}
		args = []string{"log", "-g", "-1", "--no-show-signature", "--format=%H%x00%gd%x00%gs", name, "--"}
	}
	out, code, err := p.look.read(ctx, args...)
	if err != nil || code != 0 {
		return nil //nolint:nilerr // no such stash; git says so when it runs
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); len(f) == 3 {
			p.targets = append(p.targets, f[0])
			p.Loses = append(p.Loses, Loss{Kind: "stash", Name: f[1], Detail: cut(f[2], 200), Saved: true})
		}
	}
	return nil
}

// keepPopped saves what a stash pop takes off the list, though nothing is lost
// when it succeeds.
func (p *Plan) keepPopped(ctx context.Context) error {
	if p.Call.Sub != "stash pop" {
		return nil
	}
	name := "stash@{0}"
	if len(p.Call.Words) > 0 {
		name = p.Call.Words[0]
	}
	if id, ok := p.look.line(ctx, "rev-parse", "--verify", "-q", name); ok {
		p.targets = append(p.targets, id)
	}
	return nil
}

// losesRef notes a branch that is moved or deleted, when commits would be
// found nowhere else.
func (p *Plan) losesRef(ctx context.Context, kind, ref, shown string) {
	id, ok := p.look.line(ctx, "rev-parse", "--verify", "-q", ref)
	if !ok {
		return
	}
	short := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/"), "refs/remotes/")
	args := []string{"rev-list", "--count", ref, "--not"}
	for _, family := range [][2]string{{"refs/heads/", "--branches"}, {"refs/tags/", "--tags"}, {"refs/remotes/", "--remotes"}} {
		if strings.HasPrefix(ref, family[0]) {
			args = append(args, "--exclude="+short)
		}
		args = append(args, family[1])
	}
	n, _ := p.look.line(ctx, args...)
	subject, _ := p.look.line(ctx, "log", "-1", "--no-show-signature", "--format=%s", id, "--")
	detail := "at " + cut(id, 10) + ": " + cut(subject, 100)
	if n != "" && n != "0" {
		detail = n + " commits that no other branch or tag holds, the newest " + detail
	}
	p.targets = append(p.targets, id)
	p.Loses = append(p.Loses, Loss{Kind: kind, Name: shown, Detail: detail, Saved: true})
}

func (p *Plan) losesBranches(ctx context.Context) error {
	c := p.Call
	gone := c.Words
	switch {
	case len(gone) == 0:
		return nil
	case c.args.has("-M", "-m", "--move", "-C", "-c", "--copy"):
		gone = gone[len(gone)-1:] // what was there under the new name
	case c.args.has("-f", "--force") && !c.args.has("-d", "--delete"):
		gone = gone[:1]
	}
	prefix := "refs/heads/"
	if c.args.has("-r", "--remotes") {
		prefix = "refs/remotes/"
	}
	for _, name := range gone {
		p.losesRef(ctx, "branch", prefix+name, name)
	}
	return nil
}

func (p *Plan) losesTags(ctx context.Context) error {
	gone := p.Call.Words
	if !p.Call.args.has("-d", "--delete") && len(gone) > 1 {
		gone = gone[:1]
	}
	for _, name := range gone {
		p.losesRef(ctx, "tag", "refs/tags/"+name, name)
	}
	return nil
}

// losesRemote lists what a forced push takes from the remote, as far as the
// last fetch knows.
func (p *Plan) losesRemote(ctx context.Context) {
	for _, s := range p.pushes {
		if !s.force {
			continue
		}
		if s.lease == "" {
			p.Loses = append(p.Loses, Loss{Kind: "remote", Name: s.dst, Detail: "whatever it holds there; nothing is known of it, fetch first"})
			continue
		}
		args := []string{"rev-list", "--count", s.lease}
		if s.src != "" {
			args = append(args, "--not", s.src)
		}
		n, ok := p.look.line(ctx, args...)
		if !ok || (n == "0" && s.src != "") {
			continue
		}
		p.targets = append(p.targets, s.lease)
		p.Loses = append(p.Loses, Loss{Kind: "remote", Name: s.dst, Detail: n + " commits, up to " + cut(s.lease, 10), Saved: true})
	}
}
