package gitsafe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// Find is the layout of the repository whose working tree holds dir, found
// without running git. The error is a *NotRepositoryError where there is none,
// and a *RefusedError where the layout leads elsewhere: a linked .git, a .git
// file whose target does not point back.
//
// It follows git's own search (gitrepository-layout(5), setup.c): the first
// folder upwards whose .git is a git directory or a pointer to one. A folder
// that itself looks like a bare repository is never taken for one.
func Find(dir string) (Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return Repo{}, err
	}
	for d := abs; ; d = filepath.Dir(d) {
		repo, err := repositoryAt(d)
		if err != nil || repo.Top != "" {
			return repo, err
		}
		if d == filepath.Dir(d) {
			return Repo{}, &NotRepositoryError{Dir: abs}
		}
	}
}

// TopLevel is the top of the working tree that holds dir, found without
// running git. Errors are those of Find.
func TopLevel(dir string) (string, error) {
	repo, err := Find(dir)
	return repo.Top, err
}

// repositoryAt is the repository whose top is exactly d, or a zero Repo.
func repositoryAt(d string) (Repo, error) {
	dot := filepath.Join(d, ".git")
	fi, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Repo{}, nil
	case err != nil:
		return Repo{}, err
	case fi.IsDir():
		if !isGitDir(dot) {
			return Repo{}, nil // git passes over it, too
		}
		if _, err := os.Lstat(filepath.Join(dot, "commondir")); err == nil {
			return Repo{}, refuse("", "%s says that its configuration lies elsewhere (commondir)", dot)
		}
		return Repo{Top: d, GitDir: dot, CommonDir: dot, Kind: "plain"}, nil
	case fi.Mode().IsRegular():
		return pointed(d, dot)
	case fi.Mode()&fs.ModeSymlink != 0:
		return Repo{}, refuse("make it a real folder, or a linked worktree", "%s is a link", dot)
	}
	return Repo{}, refuse("", "%s is neither a folder nor a file", dot)
}

// isGitDir says whether p has the look of a git directory.
func isGitDir(p string) bool {
	if _, err := os.Lstat(filepath.Join(p, "HEAD")); err != nil {
		return false
	}
	return isDir(filepath.Join(p, "objects")) && isDir(filepath.Join(p, "refs"))
}

func isDir(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.IsDir()
}

// maxPointer bounds the small files of the layout.
const maxPointer = 8 << 10

// pointed follows the .git file of a linked worktree or of a submodule.
func pointed(top, dot string) (Repo, error) {
	content, err := readSmall(dot)
	if err != nil {
		return Repo{}, err
	}
	target, err := ParsePointer(content)
	if err != nil {
		return Repo{}, refuse("", "%s: %v", dot, err)
	}
	gitDir, err := filepath.EvalSymlinks(against(top, target))
	if err != nil {
		return Repo{}, refuse("", "%s leads to %q, which is not there", dot, target)
	}
	if _, err := os.Lstat(filepath.Join(gitDir, "commondir")); err == nil {
		return worktree(top, gitDir)
	}
	return submodule(top, gitDir)
}

// ParsePointer reads the content of a .git file: "gitdir: PATH", and nothing
// else but trailing line ends.
func ParsePointer(content []byte) (string, error) {
	path, ok := strings.CutPrefix(string(content), "gitdir: ")
	path = strings.TrimRight(path, "\r\n")
	if !ok || path == "" || strings.ContainsAny(path, "\x00\r\n") {
		return "", errors.New("it does not hold one line \"gitdir: PATH\"")
	}
	return path, nil
}

// worktree checks a linked worktree: its git directory is
// COMMON/worktrees/NAME, and names this very .git file.
func worktree(top, gitDir string) (Repo, error) {
	dot := filepath.Join(top, ".git")
	wrong := func(why string) (Repo, error) {
		return Repo{}, refuse("git worktree repair, run by yourself, mends a moved one",
			"%s leads to %s, %s", dot, gitDir, why)
	}
	common := filepath.Dir(filepath.Dir(gitDir))
	said, err := readLine(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return wrong("whose commondir cannot be read")
	}
	real, err := filepath.EvalSymlinks(against(gitDir, said))
	if err != nil || real != common || filepath.Base(filepath.Dir(gitDir)) != "worktrees" || !isGitDir(common) {
		return wrong("whose commondir is not the repository above it")
	}
	if _, err := os.Lstat(filepath.Join(common, "commondir")); err == nil || within(common, top) {
		return wrong("whose repository is no place for one")
	}
	back, err := readLine(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return wrong("which does not say where it belongs")
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(against(gitDir, back)))
	if err != nil || parent != top || filepath.Base(back) != ".git" {
		return wrong("which does not point back")
	}
	return Repo{Top: top, GitDir: gitDir, CommonDir: common, Kind: "worktree"}, nil
}

// submodule checks that the git directory lies in modules/ of the repository
// that holds the folder.
func submodule(top, gitDir string) (Repo, error) {
	if isGitDir(gitDir) && filepath.Dir(top) != top {
		if super, err := Find(filepath.Dir(top)); err == nil {
			for _, base := range []string{super.CommonDir, super.GitDir} {
				if modules := filepath.Join(base, "modules"); gitDir != modules && within(gitDir, modules) {
					return Repo{Top: top, GitDir: gitDir, CommonDir: gitDir, Kind: "submodule"}, nil
				}
			}
		}
	}
	return Repo{}, refuse("", "%s leads to %s, which is neither a worktree of it nor a submodule",
		filepath.Join(top, ".git"), gitDir)
}

// readLine reads a small file that holds one line.
func readLine(path string) (string, error) {
	content, err := readSmall(path)
	line := strings.TrimRight(string(content), "\r\n")
	if err == nil && (line == "" || strings.ContainsAny(line, "\x00\r\n")) {
		err = fmt.Errorf("%s does not hold one line", path)
	}
	return line, err
}

func readSmall(path string) ([]byte, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxPointer {
		return nil, refuse("", "%s is not a small file", path)
	}
	f, err := roots.Plain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPointer))
}

func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// within says that path is dir or lies below it; both are clean and absolute.
func within(path, dir string) bool {
	if path == dir || dir == "/" {
		return true
	}
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}
