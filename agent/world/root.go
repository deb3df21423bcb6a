package world

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/gitsafe"
)

// Root is the root of a session at dir (docs/contracts.md, section 8): the top
// of the git working tree that holds it, unless that is home or the top of the
// file system; where there is no repository, dir itself. named is a folder
// that was asked for outright, "" for none. Links are resolved.
func Root(dir, named, home, state string) (string, error) {
	start := dir
	if named != "" {
		start = named
	}
	root, err := realFolder(start)
	if err != nil {
		return "", err
	}
	home, state = realOr(home), realOr(state)
	if named == "" {
		top, err := gitsafe.TopLevel(root)
		var none *gitsafe.NotRepositoryError
		switch {
		case err == nil && top != home && top != "/":
			root = top
		case err != nil && !errors.As(err, &none):
			return "", fmt.Errorf("%s: %w", root, err)
		}
	}
	return root, usableRoot(root, home, state)
}

func realFolder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("no such folder: %s", dir)
	}
	info, err := os.Stat(root)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return root, nil
}

// realOr resolves the links of a path as far as it exists.
func realOr(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return real
	}
	return filepath.Join(realOr(filepath.Dir(path)), filepath.Base(path))
}

// usableRoot refuses roots that would put everything of the person, or our own
// state, into the hands of a tool.
func usableRoot(root, home, state string) error {
	within := func(inner, outer string) bool {
		return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
	}
	var why string
	switch {
	case root == "/":
		why = "it is the whole machine"
	case within(root, "/proc"), within(root, "/sys"), within(root, "/dev") && !within(root, "/dev/shm"):
		why = "its files are the kernel's, and a command that may write the root would set up the machine"
	case within(home, root):
		why = "it holds your home folder"
	case within(state, root):
		why = "it holds the state of tera-pilot (" + state + ")"
	case within(root, state):
		why = "it lies in the state of tera-pilot"
	default:
		return nil
	}
	return fmt.Errorf("%s cannot be the root of a session, since %s: start in the folder of one project", root, why)
}
