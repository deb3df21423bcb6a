package gitsafe

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// preflight looks at the git directory before git does: no links, no special
// files. What git appends to or overwrites in place must have one name only.
func preflight(ctx context.Context, repo Repo) error {
	if err := walk(ctx, repo.CommonDir); err != nil {
		return err
	}
	if !within(repo.GitDir, repo.CommonDir) {
		return walk(ctx, repo.GitDir)
	}
	return nil
}

func walk(ctx context.Context, root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return refuse("", "cannot look at %s: %v", path, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		switch {
		case e.IsDir():
			if skip(rel) {
				return filepath.SkipDir
			}
		case e.Type()&fs.ModeSymlink != 0:
			if rel == "hooks" {
				return nil // never used
			}
			target, _ := os.Readlink(path)
			return refuse("replace it by a real file", "%s is a link to %q; git would write through it", path, target)
		case !e.Type().IsRegular():
			if strings.HasSuffix(rel, ".ipc") {
				return nil // socket of git's own file system monitor, which is not used
			}
			return refuse("remove it", "%s is neither a file nor a folder", path)
		case inPlace(rel):
			return oneName(path, e)
		}
		return nil
	})
}

// skip leaves out what git only adds to under new names, what belongs to other
// repositories, and what is never used.
func skip(rel string) bool {
	switch {
	case rel == "hooks", rel == "modules":
		return true
	case strings.HasPrefix(rel, "lfs/objects/"):
		return true
	}
	fan, ok := strings.CutPrefix(rel, "objects/")
	return ok && len(fan) == 2
}

// inPlace says that git writes a file without making a new one first.
func inPlace(rel string) bool {
	base := filepath.Base(rel)
	return strings.HasPrefix(rel, "logs/") || strings.Contains(rel, "/logs/") ||
		strings.HasSuffix(base, "_HEAD") || strings.HasSuffix(base, "_MSG") || strings.HasSuffix(base, "_EDITMSG")
}

func oneName(path string, e fs.DirEntry) error {
	fi, err := e.Info()
	if err != nil {
		return refuse("", "cannot look at %s: %v", path, err)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		return refuse("replace it by a copy", "%s has a second name elsewhere; git would write to both", path)
	}
	return nil
}

// operation is the one that waits to be continued in a git directory.
func operation(gitDir string) string {
	for _, s := range [...][2]string{
		{"rebase-merge", "rebase"}, {"rebase-apply/rebasing", "rebase"}, {"rebase-apply", "am"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"sequencer", "cherry-pick"},
		{"MERGE_HEAD", "merge"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, s[0])); err == nil {
			return s[1]
		}
	}
	return ""
}

// todoVerbs are the commands of a todo list that start nothing (git-rebase(1)).
var todoVerbs = []string{"pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "drop", "d",
	"label", "l", "reset", "t", "merge", "m", "update-ref", "u", "noop", "break", "b", "revert"}

// savedState refuses to continue an operation whose files in the git directory
// would start a program: an exec line, a strategy that is not built in.
func savedState(gitDir string) error {
	for _, todo := range []string{"rebase-merge/git-rebase-todo", "sequencer/todo"} {
		if err := checkTodo(filepath.Join(gitDir, todo)); err != nil {
			return err
		}
	}
	s, err := readLine(filepath.Join(gitDir, "rebase-merge/strategy"))
	if !errors.Is(err, fs.ErrNotExist) && !slices.Contains(strategies, s) {
		return refuse("git rebase --abort", "the saved rebase names a merge strategy that is not built in: %q", s)
	}
	opts, err := readSmall(filepath.Join(gitDir, "sequencer/opts"))
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || strings.Contains(strings.ToLower(string(opts)), "strategy")) {
		return refuse("abort it, and start again", "the saved operation names a merge strategy")
	}
	return nil
}

func checkTodo(path string) error {
	f, err := roots.Plain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is saved
	}
	if err != nil {
		return refuse("abort the operation", "the list of what is left to do cannot be read: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		verb, _, _ := strings.Cut(strings.TrimLeft(lines.Text(), " \t\r\v\f"), " ")
		verb, _, _ = strings.Cut(verb, "\t")
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if !slices.Contains(todoVerbs, strings.TrimRight(verb, "\r")) {
			return refuse("abort the operation, or look at that file", "%s holds %q, which could run a program", path, cut(lines.Text(), 80))
		}
	}
	if lines.Err() != nil {
		return refuse("abort the operation", "%s: %v", path, lines.Err())
	}
	return nil
}

// alternates are the object folders elsewhere that a repository reads.
func alternates(commonDir string) ([]string, error) {
	content, err := roots.ReadPlain(filepath.Join(commonDir, "objects/info/alternates"), maxAttributes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, refuse("remove it", "the list of object folders elsewhere cannot be read: %v", err)
	}
	var dirs []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			dirs = append(dirs, against(filepath.Join(commonDir, "objects"), line))
		}
	}
	return dirs, nil
}

// noPipes refuses what git opens at each look and would wait for. One that lies
// deeper ends with the time limit.
func noPipes(repo Repo) error {
	for _, path := range []string{
		filepath.Join(repo.Top, ".gitignore"), filepath.Join(repo.Top, ".gitattributes"),
		filepath.Join(repo.CommonDir, "info/exclude"), filepath.Join(repo.CommonDir, "info/attributes"),
	} {
		if fi, err := os.Lstat(path); err == nil && fi.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) != 0 {
			return refuse("remove it", "%s is no file, and git would wait for it", path)
		}
	}
	return nil
}

// maxAttributes bounds the small files of a repository that are read whole.
const maxAttributes = 16 << 20
