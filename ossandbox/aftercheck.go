package ossandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A checkpoint is what the check after a run compares with: the mounts keep a
// command from writing the covers, but a name that could not be mounted over
// may have appeared, and somebody outside may have lifted a stand-in.
type checkpoint struct {
	absent []cover               // covers that did not exist, and do not stand in
	stamps map[string]coverStamp // of those that did
	known  map[string]bool       // secret-like files, sockets, nested repositories and closed folders
	alike  map[string]bool       // names that differ from protected ones in their spelling only
	hadGit bool
	waits  map[string]bool // lists of rebases that wait and will run commands
}

type coverStamp struct {
	dirStamp
	rule string
	size int64
}

// newCheckpoint is taken before the stand-ins are made. mounted are the covers
// that the plan mounts.
func newCheckpoint(v *view) *checkpoint {
	c := &checkpoint{stamps: map[string]coverStamp{}, known: map[string]bool{}, hadGit: exists(filepath.Join(v.work, ".git"))}
	for _, cov := range v.covers {
		if st, err := os.Lstat(cov.path); err == nil && !looksStandIn(cov, st) {
			c.stamps[cov.path] = coverStamp{stampOf(st), cov.rule, st.Size()}
		} else {
			c.absent = append(c.absent, cov)
		}
	}
	c.waits, c.alike = rebasesThatRun(v), alikeNames(v.work)
	for _, l := range [][]string{v.found.secrets, v.found.sockets, v.found.nested, v.found.closed} {
		for _, p := range l {
			c.known[p] = true
		}
	}
	return c
}

// looksStandIn says whether what is there may be a stand-in: it is empty, and
// of the right kind.
func looksStandIn(c cover, st fs.FileInfo) bool {
	switch c.missing {
	case fs.ModeDir:
		return st.IsDir() && !hasEntries(c.path)
	case emptyFile:
		return st.Mode().IsRegular() && st.Size() == 0
	default:
		return false
	}
}

// after looks at the workspace when the command has ended and the stand-ins are
// taken back.
func (c *checkpoint) after(s *Sandbox, v *view) (findings []Finding) {
	for _, cov := range c.absent {
		st, err := os.Lstat(cov.path)
		switch {
		case err != nil:
		case looksStandIn(cov, st): // of another command, which still runs
		case cov.missing != 0 || filepath.Base(cov.path) == "commondir":
			findings = append(findings, s.quarantine(cov.path, cov.rule+" appeared"))
		default:
			findings = append(findings, Finding{Path: cov.path, What: cov.rule + " appeared"})
		}
	}
	for p, was := range c.stamps {
		if st, err := os.Lstat(p); err != nil || stampOf(st) != was.dirStamp || st.Size() != was.size {
			findings = append(findings, Finding{Path: p, What: was.rule + " changed during the command, from outside"})
		}
	}
	if dot := filepath.Join(v.work, ".git"); !c.hadGit && exists(dot) {
		findings = append(findings, Finding{Path: dot, What: "a new repository"})
	}
	for todo := range rebasesThatRun(v) {
		if !c.waits[todo] {
			findings = append(findings, Finding{Path: todo, What: "a rebase waits that will run commands: read it before git rebase --continue"})
		}
	}
	for p := range alikeNames(v.work) {
		if !c.alike[p] && v.writes && !v.bare {
			findings = append(findings, s.quarantine(p, "a protected name in another spelling appeared"))
		}
	}
	found := s.survey.look(v.work, func(file string) {
		if f, bad := dropSetuid(file); bad {
			findings = append(findings, f)
		}
	}, func(dir string) bool {
		f, opened := c.reopen(dir)
		if opened {
			findings = append(findings, f)
		}
		return opened
	})
	for _, p := range found.nested {
		if !c.known[p] {
			findings = append(findings, Finding{Path: p, What: "a new repository"})
		}
	}
	if found.truncated { // the next look may end before what this command did not see
		if err := s.keep.remember(v.secrets); err != nil {
			findings = append(findings, Finding{Path: v.work, What: err.Error(), Ended: true})
		}
	}
	s.made.note(append(found.secrets, found.sockets...), c.known)
	return findings
}

// alikeNames are the entries of a workspace that are spelled like a name that
// is covered always, but for the case of letters, dots and blanks at the end,
// and characters that cannot be seen. On a file system that folds such names
// (a Windows or macOS disk) they are that name, and no mount covers them.
func alikeNames(work string) map[string]bool {
	alike := map[string]bool{}
	entries, err := os.ReadDir(work)
	if err != nil {
		return alike
	}
	for _, e := range entries {
		name := foldName(e.Name())
		if name != e.Name() && (name == ".git" || slices.Contains(protectedNames, name)) {
			alike[filepath.Join(work, e.Name())] = true
		}
	}
	return alike
}

// foldName is a name as the most lenient file system compares it.
func foldName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // zero-width and direction marks, which HFS+ passes over
			return -1
		}
		return r
	}, name)
	// Letters such as \u017f are s only in capitals.
	return strings.ToLower(strings.ToUpper(strings.TrimRight(name, ". ")))
}

const rebaseTodo = "rebase-merge/git-rebase-todo"

// rebasesThatRun are the lists of the rebases that wait in the workspace's
// repository, in any of its working trees and submodules, and would run
// commands when they go on.
func rebasesThatRun(v *view) map[string]bool {
	found := map[string]bool{}
	for _, dir := range v.repo.gitDirs() {
		if todo := filepath.Join(dir, rebaseTodo); rebaseRuns(todo) {
			found[todo] = true
		}
	}
	return found
}

// gitDirs are the folders of a repository in which a rebase can wait: the one
// that all working trees share, theirs, and the submodules'.
func (g gitDir) gitDirs() []string {
	if g.common == "" {
		return nil
	}
	dirs := append([]string{g.common}, childDirs(filepath.Join(g.common, "worktrees"))...)
	if !slices.Contains(dirs, g.private) {
		dirs = append(dirs, g.private)
	}
	for _, m := range moduleDirs(filepath.Join(g.common, "modules"), 0) {
		dirs = append(dirs, gitDir{private: m, common: m}.gitDirs()...)
	}
	return dirs
}

// rebaseRuns says that a list of a rebase holds a line that runs a command.
func rebaseRuns(todo string) bool {
	b, err := roots.ReadPlain(todo, 16<<20)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // what cannot be read can hold anything
	}
	for line := range strings.Lines(string(b)) {
		// Git ends a word at a blank, a tab, or the end of the line.
		if f := strings.Fields(line); len(f) > 0 && (f[0] == "exec" || f[0] == "x") {
			return true
		}
	}
	return false
}

// opened undoes what would keep us from looking where covers are: folders that
// the command has closed, on the way to a cover. It comes before the stand-ins
// are taken back.
func (c *checkpoint) opened(v *view) (findings []Finding) {
	tops := append([]string{v.work}, v.gits...)
	dirs := slices.Clone(tops)
	for _, cov := range v.covers {
		dirs = append(dirs, between(tops, cov.path)...)
	}
	for _, dir := range dirs {
		if f, ok := c.reopen(dir); ok {
			findings = append(findings, f)
		}
	}
	return findings
}

// reopen gives the owner's rights back to a folder that was closed during the
// command: nobody could see what lies in it, neither now nor before the next
// command, which could open it again and read on.
func (c *checkpoint) reopen(dir string) (Finding, bool) {
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() || !closed(st) || c.known[dir] {
		return Finding{}, false
	}
	if err := os.Chmod(dir, st.Mode().Perm()|0o700); err != nil {
		return Finding{}, false
	}
	return Finding{Path: dir, What: "a folder that the command closed to you, opened again", Ended: true}, true
}

// dropSetuid takes the setuid and setgid bits from a file that has them.
func dropSetuid(file string) (Finding, bool) {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
		return Finding{}, false
	}
	if err := os.Chmod(file, st.Mode().Perm()); err != nil {
		return Finding{Path: file, What: "setuid file, and its bit cannot be taken: " + err.Error()}, true
	}
	return Finding{Path: file, What: "setuid file, the bit was taken", Ended: true}, true
}

// quarantine moves something out of the workspace, into our state folder, or,
// where that is another file system, to a name beside it that nothing loads.
func (s *Sandbox) quarantine(p, what string) Finding {
	f := Finding{Path: p, What: what}
	name := strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + filepath.Base(p)
	dir := filepath.Join(s.cfg.State, "quarantine")
	if os.MkdirAll(dir, 0o700) == nil {
		if to := filepath.Join(dir, name); os.Rename(p, to) == nil {
			f.Moved = to
			return f
		}
	}
	if to := p + ".quarantined-" + name; os.Rename(p, to) == nil {
		f.Moved = to
	}
	return f
}
