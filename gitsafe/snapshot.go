package gitsafe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A Snapshot is work that was saved before an operation that can lose it.
type Snapshot struct {
	Refs    []string // below refs/tera-pilot/before/
	Files   int      // files whose content is saved
	Recover string   // the command that puts it back
}

// before is where snapshots live: no branch, no tag, not pushed, kept from
// garbage collection.
const before = "refs/tera-pilot/before/"

// snapshot saves what the plan says will be lost. What is saved has the form
// of a stash, so that `git stash apply --index REF` puts it back.
func (g *Git) snapshot(ctx context.Context, p Plan) (*Snapshot, error) {
	tracked := saved(p.Loses, "modified")
	loose := saved(p.Loses, "untracked", "untracked or ignored")
	if len(tracked)+len(loose)+len(p.targets) == 0 {
		return nil, nil
	}
	s := saver{g: g, plan: p, ctx: ctx}
	stamp := g.opts.Now().UTC().Format("20060102T150405Z") + "-" + strings.ReplaceAll(p.Call.Sub, " ", "-") + "-" + nonce()
	snap := &Snapshot{Files: len(tracked) + len(loose)}
	if snap.Files > 0 {
		id, err := s.stash(len(tracked) > 0, loose)
		if err != nil {
			return nil, err
		}
		snap.Refs = append(snap.Refs, before+stamp)
		s.ref(before+stamp, id)
		snap.Recover = "git stash apply --index " + before + stamp
		if s.head == "" {
			snap.Recover = "git restore --source=" + before + stamp + " -- ."
		}
	}
	for i, id := range p.targets {
		name := fmt.Sprintf("%s%s-%d", before, stamp, i+1)
		snap.Refs = append(snap.Refs, name)
		s.ref(name, id)
	}
	if snap.Recover == "" {
		snap.Recover = "git log " + snap.Refs[0] + ", then git branch NAME " + snap.Refs[0]
		if p.Call.Sub == "stash drop" || p.Call.Sub == "stash clear" || p.Call.Sub == "stash pop" {
			snap.Recover = "git stash apply --index " + snap.Refs[0]
		}
	}
	if s.err == nil {
		_, s.err = g.prune(ctx, p, g.opts.Now().Add(-maxSnapshotAge), maxSnapshots)
	}
	return snap, s.err
}

// Bounds of what is kept: snapshots that are older, and the oldest of more than
// that many, go when the next one is made.
const (
	maxSnapshotAge = 90 * 24 * time.Hour
	maxSnapshots   = 100
)

// Prune removes the snapshots of the repository that holds dir which are older
// than before, and says how many went.
func (g *Git) Prune(ctx context.Context, dir string, before time.Time) (int, error) {
	c, err := Check([]string{"for-each-ref", "--format=%(refname)", "refs/tera-pilot/before"})
	if err != nil {
		return 0, err
	}
	p, err := g.plan(ctx, dir, c)
	if err != nil {
		return 0, err
	}
	return g.prune(ctx, p, before, math.MaxInt)
}

// prune keeps the newest refs, but none from before that time. Their names
// begin with the time; what was named otherwise is not ours, and stays.
func (g *Git) prune(ctx context.Context, p Plan, oldest time.Time, most int) (int, error) {
	out, _, err := p.look.read(ctx, "for-each-ref", "--format=%(refname)", strings.TrimSuffix(before, "/"))
	if err != nil {
		return 0, err
	}
	var refs []string
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); !snapshotTime(name).IsZero() {
			refs = append(refs, name)
		}
	}
	slices.Sort(refs)
	var script strings.Builder
	gone := 0
	for i, name := range refs {
		if len(refs)-i > most || snapshotTime(name).Before(oldest) {
			script.WriteString("delete " + name + "\n")
			gone++
		}
	}
	if gone == 0 {
		return 0, nil
	}
	s := saver{g: g, plan: p, ctx: ctx}
	s.git("", strings.NewReader(script.String()), "update-ref", "--stdin")
	return gone, s.err
}

// snapshotTime is when a ref of ours was made, the zero time for another.
func snapshotTime(ref string) time.Time {
	stamp, ours := strings.CutPrefix(ref, before)
	stamp, _, dashed := strings.Cut(stamp, "-")
	t, err := time.Parse("20060102T150405Z", stamp)
	if !ours || !dashed || err != nil {
		return time.Time{}
	}
	return t
}

func saved(losses []Loss, kinds ...string) []string {
	var paths []string
	for _, l := range losses {
		if l.Saved && slices.Contains(kinds, l.Kind) {
			paths = append(paths, l.Name)
		}
	}
	return paths
}

func nonce() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// A saver runs the plumbing of one snapshot. After the first error it does
// nothing more.
type saver struct {
	g    *Git
	plan Plan
	ctx  context.Context //nolint:containedctx // lives for one call
	head string
	err  error
}

// git runs one plumbing command from the top and returns the line it prints.
func (s *saver) git(index string, in io.Reader, args ...string) string {
	if s.err != nil {
		return ""
	}
	l := s.plan.look
	l.dir = s.plan.Repo.Top
	l.env.vars = append(s.g.environ(Call{Class: Write}, s.plan.Repo).vars,
		"GIT_ALLOW_PROTOCOL=", "GIT_ASKPASS=",
		"GIT_AUTHOR_NAME=tera-pilot", "GIT_AUTHOR_EMAIL=tera-pilot@localhost",
		"GIT_COMMITTER_NAME=tera-pilot", "GIT_COMMITTER_EMAIL=tera-pilot@localhost")
	if index != "" {
		l.env.add("GIT_INDEX_FILE", index)
	}
	// A file with mixed line ends is saved too, as git would commit it.
	inv := l.invocation(dedupe(l.env.list(setting{"core.safecrlf", "false"})), args...)
	var out, errs bytes.Buffer
	inv.ReadOnly, inv.Writable = false, writable(s.plan)
	inv.Stdin, inv.Stdout, inv.Stderr = in, &out, &errs
	st, err := s.g.opts.Runner.Run(s.ctx, inv)
	switch {
	case err != nil:
		s.err = err
	case st.Code != 0 || st.TimedOut || st.Truncated:
		s.err = refuse("", "git %s: %s", args[0], firstLine(errs.String()))
	}
	return strings.TrimRight(out.String(), "\n")
}

// dedupe keeps the last value of each variable.
func dedupe(env []string) []string {
	last := map[string]int{}
	for i, v := range env {
		name, _, _ := strings.Cut(v, "=")
		last[name] = i
	}
	var out []string
	for i, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if last[name] == i {
			out = append(out, v)
		}
	}
	return out
}

func (s *saver) ref(name, id string) {
	s.git("", nil, "update-ref", name, id, "")
}

// stash makes a commit in the form of a stash: the tree is the working tree,
// the second parent the index, the third what git does not track.
func (s *saver) stash(tracked bool, loose []string) (string, error) {
	s.head, _ = s.plan.look.line(s.ctx, "rev-parse", "--verify", "-q", "HEAD")
	work, staged, err := s.trees(tracked)
	if err != nil {
		return "", err
	}
	message := "before " + s.plan.Call.String()
	var parents []string
	if s.head != "" {
		index := s.git("", nil, "commit-tree", staged, "-p", s.head, "-m", "index "+message)
		parents = []string{"-p", s.head, "-p", index}
	}
	if len(loose) > 0 {
		untracked := s.git("", nil, "commit-tree", s.untracked(loose), "-m", "untracked files "+message)
		if work == "" {
			return untracked, s.err
		}
		parents = append(parents, "-p", untracked)
	}
	return s.git("", nil, append([]string{"commit-tree", work, "-m", message}, parents...)...), s.err
}

// trees are the working tree (tracked files) and the index. An index with
// conflicts cannot be written; HEAD stands in for it.
func (s *saver) trees(tracked bool) (work, staged string, err error) {
	if !tracked {
		if s.head == "" {
			return "", "", nil
		}
		tree := s.git("", nil, "rev-parse", "HEAD^{tree}")
		return tree, tree, s.err
	}
	index, err := s.copyIndex()
	if err != nil {
		return "", "", err
	}
	defer os.Remove(index)
	staged = s.git(index, nil, "write-tree")
	if s.err != nil {
		s.err = nil
		staged = s.git("", nil, "rev-parse", "HEAD^{tree}")
	}
	s.git(index, nil, "add", "-u", "--ignore-errors", "--", ".")
	return s.git(index, nil, "write-tree"), staged, s.err
}

// maxIndex is far above the index of any tree that people work in.
const maxIndex = 1 << 30

// copyIndex puts a copy beside the index, where git may write.
func (s *saver) copyIndex() (string, error) {
	dir := s.plan.Repo.GitDir
	content, err := roots.ReadPlain(filepath.Join(dir, "index"), maxIndex)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tera-pilot-index-"+nonce())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return name, err
}

// untracked makes a tree of files as they are, byte for byte: no filter runs.
func (s *saver) untracked(paths []string) string {
	var files, stdin, info bytes.Buffer
	var regular []string
	modes := map[string]string{}
	for _, p := range paths {
		abs := filepath.Join(s.plan.Repo.Top, p)
		fi, err := os.Lstat(abs)
		switch {
		case err != nil:
			s.err = err
			return ""
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(abs)
			if err != nil {
				s.err = err
				return ""
			}
			stdin.Reset()
			stdin.WriteString(target)
			fmt.Fprintf(&info, "120000 %s\t%s\x00", s.git("", &stdin, "hash-object", "-w", "--stdin"), p)
		default:
			modes[p] = "100644"
			if fi.Mode()&0o100 != 0 {
				modes[p] = "100755"
			}
			regular = append(regular, p)
			files.WriteString(quotePath(p) + "\n")
		}
	}
	ids := strings.Fields(s.git("", &files, "hash-object", "-w", "--no-filters", "--stdin-paths"))
	if s.err == nil && len(ids) != len(regular) {
		s.err = refuse("", "%d of %d files could be read", len(ids), len(regular))
	}
	if s.err != nil {
		return ""
	}
	for i, p := range regular {
		fmt.Fprintf(&info, "%s %s\t%s\x00", modes[p], ids[i], p)
	}
	index := filepath.Join(s.plan.Repo.GitDir, "tera-pilot-index-"+nonce())
	defer os.Remove(index)
	s.git(index, &info, "update-index", "-z", "--index-info")
	return s.git(index, nil, "write-tree")
}
