package gitsafe

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// planOperands resolves what is named: nothing outside of the working tree,
// and everything that is read by its path.
func (g *Git) planOperands(ctx context.Context, p *Plan) error {
	c := p.Call
	if c.spec.operands == mixed || c.spec.operands == pathsOnly {
		for _, w := range slices.Concat(c.Words, c.Paths) {
			if err := insideTree(p, w); err != nil {
				return err
			}
		}
	}
	if fi, err := os.Lstat(filepath.Join(p.Repo.Top, ".gitmodules")); (c.Sub == "mv" || c.Sub == "rm") && err == nil && !fi.Mode().IsRegular() {
		return refuse("replace it by a real file", "git %s: .gitmodules is no file; git would write through it", c.Sub)
	}
	for _, r := range c.Reads {
		if err := p.reads(ctx, r); err != nil {
			return err
		}
	}
	for _, w := range c.Words {
		if c.spec.operands == mixed && (exists(against(p.dir, w)) || hasGlob(w)) {
			if err := p.reads(ctx, w); err != nil {
				return err
			}
		}
	}
	for _, w := range c.Inner {
		p.Reads = append(p.Reads, innerPath(p, w))
	}
	if c.Sub == "checkout" && len(c.Words) == 1 && len(c.Paths) == 0 && !c.Loses {
		_, isCommit := p.look.line(ctx, "rev-parse", "--verify", "-q", atDash(c.Words[0])+"^{commit}")
		p.CanLose = !isCommit && !c.args.has("-b", "--orphan") && exists(against(p.dir, c.Words[0]))
	}
	return p.planObjects(ctx)
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// atDash writes "-", the branch before, as a revision.
func atDash(w string) string {
	if w == "-" {
		return "@{-1}"
	}
	return w
}

func hasGlob(w string) bool { return strings.ContainsAny(w, `*?[\`) || strings.HasPrefix(w, ":") }

// insideTree refuses a word that, taken as a path, leads out of the working
// tree. Git says so itself, but for diff, which then compares files of the
// disk without a repository.
func insideTree(p *Plan, w string) error {
	abs := against(p.dir, w)
	if within(abs, p.Repo.Top) {
		return throughLinks(p, abs, w)
	}
	if filepath.IsAbs(w) {
		if real, err := resolveNew(abs); err == nil && within(real, p.Repo.Top) {
			return nil
		}
	}
	return refuse("", "git %s: %q leads out of the working tree %s", p.Call.Sub, w, p.Repo.Top)
}

// throughLinks refuses to write to a path whose folder is, by a link, outside:
// git mv would go there.
func throughLinks(p *Plan, abs, w string) error {
	if p.Class == Read || abs == p.Repo.Top {
		return nil
	}
	if folder, err := resolveNew(filepath.Dir(abs)); err != nil || !within(folder, p.Repo.Top) {
		return refuse("", "git %s: %q leads out of the working tree %s, through a link", p.Call.Sub, w, p.Repo.Top)
	}
	last := p.Call.Paths[max(len(p.Call.Paths)-1, 0):]
	if target, err := filepath.EvalSymlinks(abs); p.Call.Sub == "mv" && slices.Contains(last, w) && err == nil && !within(target, p.Repo.Top) {
		return refuse("", "git mv: %q is a link out of the working tree %s", w, p.Repo.Top)
	}
	return nil
}

// maxExpanded bounds the paths that one pattern is written out to.
const maxExpanded = 20000

// reads notes a path that is read. A pattern is written out to the tracked
// files that it matches; where there are too many, the pattern itself stands.
func (p *Plan) reads(ctx context.Context, w string) error {
	if w == "" {
		return nil
	}
	if p.Class != Read || !hasGlob(w) || exists(against(p.dir, w)) {
		p.Reads = append(p.Reads, against(p.dir, w))
		return nil
	}
	out, code, err := p.look.read(ctx, "ls-files", "-z", "--", w)
	if err != nil || code != 0 {
		p.Reads = append(p.Reads, against(p.dir, w))
		return nil //nolint:nilerr // git will say what is wrong with the pattern
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(names) > maxExpanded {
		p.Reads = append(p.Reads, against(p.dir, w))
		return nil
	}
	for _, n := range names {
		if n != "" {
			p.Reads = append(p.Reads, filepath.Join(p.dir, n))
		}
	}
	return nil
}

// innerPath is the place in the working tree of REV:PATH. PATH counts from the
// top, unless it starts with ./ or ../ (gitrevisions(7)).
func innerPath(p *Plan, w string) string {
	_, inner, _ := strings.Cut(w[innerColon(w):], ":")
	if inner == "." || inner == ".." || strings.HasPrefix(inner, "./") || strings.HasPrefix(inner, "../") {
		return filepath.Join(p.dir, inner)
	}
	return filepath.Join(p.Repo.Top, path.Clean("/"+inner))
}

// innerColon is the place of the colon that ends the revision.
func innerColon(w string) int {
	depth := 0
	for i := 0; i < len(w); i++ {
		switch w[i] {
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ':':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// planObjects finds the paths of objects that are shown by their name alone:
// `git show 1f3a…` may show the content of a file.
func (p *Plan) planObjects(ctx context.Context) error {
	if !slices.Contains([]string{"show", "cat-file", "diff", "grep", "stash show"}, p.Call.Sub) || len(p.Call.Words) == 0 {
		return nil
	}
	var ask strings.Builder
	for _, w := range p.Call.Words {
		if !strings.ContainsAny(w, "\n:") {
			ask.WriteString(atDash(w) + "^{}\n")
		}
	}
	if ask.Len() == 0 {
		return nil
	}
	var out bytes.Buffer
	if _, err := p.look.stream(ctx, strings.NewReader(ask.String()), &out, "cat-file", "--batch-check"); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "blob" {
			if err := p.planBlob(ctx, f[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// planBlob looks for a blob in the index and in HEAD.
func (p *Plan) planBlob(ctx context.Context, id string) error {
	found := false
	for _, args := range [][]string{{"ls-files", "-s", "-z", "--full-name", ":/"}, {"ls-tree", "-r", "-z", "--full-tree", "HEAD"}} {
		out, code, err := p.look.read(ctx, args...)
		if err != nil || code != 0 {
			continue // no commit yet, or more files than can be looked at
		}
		for entry := range strings.SplitSeq(string(out), "\x00") {
			if meta, name, ok := strings.Cut(entry, "\t"); ok && strings.Contains(meta, id) {
				p.Reads = append(p.Reads, filepath.Join(p.Repo.Top, name))
				found = true
			}
		}
	}
	if !found {
		p.Opaque = append(p.Opaque, id)
	}
	return nil
}
