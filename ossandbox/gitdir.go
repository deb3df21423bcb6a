package ossandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A gitDir is a repository's metadata as the plan must treat it.
type gitDir struct {
	pointer string // the .git file that led here; "" for a plain .git folder
	private string // the git dir itself, resolved
	common  string // the dir with config and hooks; private, but for a linked worktree
}

const maxPointer = 4096 // bytes of a .git, gitdir or commondir file

// errNotGit: there is no repository at this path.
var errNotGit = errors.New("no repository")

// findGit reads work/.git without running git. work is resolved. errNotGit
// means that there is none; any other error that there is something which
// cannot be protected, or which does not belong to work.
func findGit(work string) (gitDir, error) {
	dot := filepath.Join(work, ".git")
	st, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gitDir{}, errNotGit
	case err != nil:
		return gitDir{}, err
	case st.IsDir():
		return gitDir{private: dot, common: dot}, nil
	case !st.Mode().IsRegular():
		return gitDir{}, fmt.Errorf("%s is neither a folder nor a file", dot)
	}
	return followPointer(work, dot)
}

// followPointer reads the .git file of a linked worktree or submodule. The dir
// that it names must point back at work: else a file in the workspace could
// make any repository of the person writable.
func followPointer(work, dot string) (gitDir, error) {
	target, err := readPointer(dot, "gitdir: ")
	if err != nil {
		return gitDir{}, err
	}
	private, err := resolveFrom(work, target)
	if err != nil {
		return gitDir{}, fmt.Errorf("%s points to a git dir that cannot be found: %w", dot, err)
	}
	g := gitDir{pointer: dot, private: private, common: private}
	common, err := readPointer(filepath.Join(private, "commondir"), "")
	switch {
	case errors.Is(err, fs.ErrNotExist): // a submodule, or a separate git dir
		if back := coreWorktree(private); back == "" || !sameFile(back, work) {
			return gitDir{}, fmt.Errorf("%s points to %s, whose core.worktree does not point back here", dot, private)
		}
		return g, nil
	case err != nil:
		return gitDir{}, err
	}
	if g.common, err = resolveFrom(private, common); err != nil {
		return gitDir{}, fmt.Errorf("%s: commondir: %w", private, err)
	}
	if filepath.Dir(private) != filepath.Join(g.common, "worktrees") {
		return gitDir{}, fmt.Errorf("%s is not a worktree of %s", private, g.common)
	}
	back, err := readPointer(filepath.Join(private, "gitdir"), "")
	if err != nil {
		return gitDir{}, err
	}
	if !filepath.IsAbs(back) {
		back = filepath.Join(private, back)
	}
	if !sameFile(back, dot) {
		return gitDir{}, fmt.Errorf("%s points to %s, which does not point back", dot, private)
	}
	return g, nil
}

// parsePointer reads the one path of a .git, gitdir or commondir file: prefix,
// then a path, then line ends.
func parsePointer(b []byte, prefix string) (string, error) {
	rest, ok := bytes.CutPrefix(b, []byte(prefix))
	if !ok {
		return "", fmt.Errorf("does not begin with %q", prefix)
	}
	p := string(bytes.TrimRight(rest, "\r\n"))
	if p == "" {
		return "", errors.New("names no path")
	}
	if i := strings.IndexFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return "", errors.New("holds a control character")
	}
	return p, nil
}

func readPointer(file, prefix string) (string, error) {
	b, err := readSmall(file, maxPointer)
	if err != nil {
		return "", err
	}
	p, err := parsePointer(b, prefix)
	if err != nil {
		return "", fmt.Errorf("%s %w", file, err)
	}
	return p, nil
}

// readSmall reads a regular file (not through a link) of at most limit bytes.
func readSmall(file string, limit int64) ([]byte, error) {
	st, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	if st.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", file, st.Size(), limit)
	}
	return roots.ReadPlain(file, limit)
}

func resolveFrom(dir, p string) (string, error) {
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	return filepath.EvalSymlinks(p)
}

// coreWorktree is core.worktree of a git dir's own config, "" without one.
func coreWorktree(dir string) (tree string) {
	b, err := readSmall(filepath.Join(dir, "config"), 1<<20)
	if err != nil {
		return ""
	}
	for _, e := range scanGitConfig(string(b)) {
		if e.section == "core" && e.key == "worktree" {
			tree = e.value
		}
	}
	if tree != "" && !filepath.IsAbs(tree) {
		tree = filepath.Join(dir, tree)
	}
	return tree
}

func sameFile(a, b string) bool {
	sa, erra := os.Stat(a)
	sb, errb := os.Stat(b)
	return erra == nil && errb == nil && os.SameFile(sa, sb)
}

// A cover is one path that a command must not write.
type cover struct {
	path string
	// missing says what stands in for it while it does not exist: 0 nothing
	// (it is watched by the check after the run), fs.ModeDir an empty folder,
	// 1 an empty file.
	missing fs.FileMode
	rule    string
}

const emptyFile fs.FileMode = 1

// gitCovers are the parts of a git dir by which a command could make a later
// git, outside the sandbox, run something.
func gitCovers(g gitDir) []cover {
	const rule = "git hooks and configuration"
	c := g.common
	l := []cover{
		{filepath.Join(c, "hooks"), fs.ModeDir, rule},
		{filepath.Join(c, "config"), emptyFile, rule},
		{filepath.Join(c, "config.worktree"), emptyFile, rule},
		{filepath.Join(c, "info/attributes"), 0, rule},
		{filepath.Join(c, "objects/info/alternates"), 0, rule},
	}
	if g.private != c {
		l = append(l, cover{filepath.Join(g.private, "config.worktree"), emptyFile, rule})
	} else {
		l = append(l, cover{filepath.Join(c, "commondir"), 0, rule})
	}
	if g.pointer != "" {
		l = append(l, cover{g.pointer, 0, rule})
	}
	for _, w := range childDirs(filepath.Join(c, "worktrees")) {
		for _, f := range []string{"gitdir", "commondir", "config.worktree"} {
			l = append(l, cover{filepath.Join(w, f), 0, rule})
		}
	}
	return append(l, moduleCovers(filepath.Join(c, "modules"))...)
}

// moduleCovers are the same of the submodules kept in a git dir. Names of
// submodules may hold slashes, and submodules have submodules.
func moduleCovers(dir string) (l []cover) {
	for _, m := range moduleDirs(dir, 0) {
		l = append(l, gitCovers(gitDir{private: m, common: m})...)
	}
	return l
}

// moduleDirs are the git dirs of submodules below dir.
func moduleDirs(dir string, depth int) (dirs []string) {
	if depth > 8 {
		return nil
	}
	for _, m := range childDirs(dir) {
		if _, err := os.Lstat(filepath.Join(m, "HEAD")); err == nil {
			dirs = append(dirs, m)
			continue
		}
		dirs = append(dirs, moduleDirs(m, depth+1)...)
	}
	return dirs
}

func childDirs(dir string) (dirs []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
	}
	return dirs
}

// configuredPaths are files and folders that a repository's own config makes
// git read instructions from, where they lie in the workspace: core.hooksPath
// and included files.
func configuredPaths(g gitDir, work string) (paths []string) {
	b, err := readSmall(filepath.Join(g.common, "config"), 1<<20)
	if err != nil {
		return nil
	}
	for _, e := range scanGitConfig(string(b)) {
		base := ""
		switch {
		case e.section == "core" && e.key == "hookspath":
			base = work
		case (e.section == "include" || e.section == "includeif") && e.key == "path":
			base = g.common
		default:
			continue
		}
		p := e.value
		if !filepath.IsAbs(p) {
			p = filepath.Join(base, p)
		}
		if rel, ok := below(work, filepath.Clean(p)); ok && rel != "." {
			paths = append(paths, filepath.Clean(p))
		}
	}
	return paths
}
