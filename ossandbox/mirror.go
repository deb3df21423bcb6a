package ossandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A mirror is a copy of the workspace, for the grade that cannot keep parts of
// the workspace read-only. Commands change the copy; what they changed comes
// back as a list, and the caller decides.
type mirror struct {
	from, to string
	entries  map[string]mirrored // by path relative to both
}

// mirrored is one entry as it was copied: stamps of the original and the copy.
type mirrored struct {
	mode         fs.FileMode
	source, copy fileStamp
}

type fileStamp struct {
	dirStamp
	size int64
}

func fileStampOf(st fs.FileInfo) fileStamp { return fileStamp{stampOf(st), st.Size()} }

// refresh makes the copy equal to the workspace, without what skip names.
func (m *mirror) refresh(skip func(path string) bool) error {
	seen := map[string]mirrored{}
	err := filepath.WalkDir(m.from, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return fs.SkipDir // the command could not read it either
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(m.from, p)
		if rel == "." {
			return os.MkdirAll(m.to, 0o700)
		}
		if skip(p) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		e, err := m.bring(rel, d)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // gone by now, or not for us
		}
		if err == nil && e.mode.Type()&^(fs.ModeDir|fs.ModeSymlink) == 0 {
			seen[rel] = e
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("copying the workspace: %w", err)
	}
	m.entries = seen
	return m.prune()
}

// bring copies one entry, if it is not there as it is.
func (m *mirror) bring(rel string, d fs.DirEntry) (mirrored, error) {
	src, dst := filepath.Join(m.from, rel), filepath.Join(m.to, rel)
	st, err := d.Info()
	if err != nil {
		return mirrored{}, err
	}
	e := mirrored{mode: st.Mode(), source: fileStampOf(st)}
	now, nowErr := os.Lstat(dst)
	if old, ok := m.entries[rel]; ok && nowErr == nil && old.mode == e.mode && (d.IsDir() || (old.source == e.source && old.copy == fileStampOf(now))) {
		e.copy = old.copy
		return e, nil
	}
	if nowErr == nil && (!d.IsDir() || !now.IsDir()) {
		if err := os.RemoveAll(dst); err != nil {
			return e, err
		}
	}
	switch {
	case d.IsDir():
		if err = os.Mkdir(dst, st.Mode().Perm()|0o700); errors.Is(err, fs.ErrExist) {
			err = os.Chmod(dst, st.Mode().Perm()|0o700)
		}
	case d.Type() == fs.ModeSymlink:
		var target string
		if target, err = os.Readlink(src); err == nil {
			err = os.Symlink(target, dst)
		}
	case d.Type().IsRegular():
		err = copyFile(src, dst, st)
	}
	if err != nil {
		return e, err
	}
	if now, err = os.Lstat(dst); err == nil {
		e.copy = fileStampOf(now)
	} else if e.mode.IsRegular() || d.IsDir() {
		return e, err
	}
	return e, nil
}

// copyFile copies content, mode and time. The time keeps build tools from
// building everything again.
func copyFile(src, dst string, st fs.FileInfo) error {
	in, err := roots.Plain(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // the kernel copies, or shares the blocks
	return errors.Join(err, out.Close(), os.Chmod(dst, st.Mode().Perm()), os.Chtimes(dst, st.ModTime(), st.ModTime()))
}

// prune removes from the copy what the workspace does not have.
func (m *mirror) prune() error {
	return filepath.WalkDir(m.to, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(m.to, p)
		if _, ok := m.entries[rel]; ok || rel == "." {
			return nil
		}
		if err := os.RemoveAll(p); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// changes lists what a command changed in the copy, sorted by path.
func (m *mirror) changes() ([]Change, error) {
	var l []Change
	found := map[string]bool{}
	err := filepath.WalkDir(m.to, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(m.to, p)
		if rel == "." {
			return nil
		}
		found[rel] = true
		st, err := d.Info()
		if err != nil {
			return err
		}
		was, ok := m.entries[rel]
		switch {
		case !ok && st.Mode().Type()&^(fs.ModeDir|fs.ModeSymlink) == 0:
			l = append(l, Change{Path: filepath.ToSlash(rel), Op: Created, From: p})
		case ok && st.Mode().Type() != was.mode.Type():
			l = append(l, Change{Path: filepath.ToSlash(rel), Op: Modified, From: p})
		case ok && !d.IsDir() && fileStampOf(st) != was.copy && m.differs(rel, st, was):
			l = append(l, Change{Path: filepath.ToSlash(rel), Op: Modified, From: p})
		}
		return nil
	})
	for rel := range m.entries {
		if !found[rel] {
			l = append(l, Change{Path: filepath.ToSlash(rel), Op: Deleted})
		}
	}
	slices.SortFunc(l, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return l, err
}

// differs compares content and permissions, where only the stamps tell a
// difference so far.
func (m *mirror) differs(rel string, st fs.FileInfo, was mirrored) bool {
	if st.Mode().Perm() != was.mode.Perm() || st.Size() != was.source.size || st.Mode()&fs.ModeSymlink != 0 {
		return true
	}
	return !sameContent(filepath.Join(m.from, rel), filepath.Join(m.to, rel))
}

func sameContent(a, b string) bool {
	fa, err := roots.Plain(a)
	if err != nil {
		return false
	}
	defer fa.Close()
	fb, err := roots.Plain(b)
	if err != nil {
		return false
	}
	defer fb.Close()
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		na, errA := io.ReadFull(fa, bufA)
		nb, errB := io.ReadFull(fb, bufB)
		if !bytes.Equal(bufA[:na], bufB[:nb]) {
			return false
		}
		if errA != nil || errB != nil {
			return errA == errB
		}
	}
}

// apply carries changes over into the workspace, beneath its root. One whose
// original was changed meanwhile by somebody else is left out and named.
func (m *mirror) apply(changes []Change) (conflicts []string, err error) {
	root, err := os.OpenRoot(m.from)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	deletes := []Change{}
	for _, c := range changes {
		if !filepath.IsLocal(filepath.FromSlash(c.Path)) {
			return conflicts, fmt.Errorf("change of %q, which is not in the workspace", c.Path)
		}
		if m.stale(root, c) {
			conflicts = append(conflicts, c.Path)
			continue
		}
		if c.Op == Deleted || c.Op == Modified {
			deletes = append(deletes, c)
		}
	}
	slices.Reverse(deletes) // what is deeper goes first
	for _, c := range deletes {
		if c.Op == Deleted || m.retyped(c) {
			if err := root.Remove(filepath.FromSlash(c.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return conflicts, err
			}
		}
	}
	for _, c := range changes {
		if c.Op == Deleted || slices.Contains(conflicts, c.Path) {
			continue
		}
		if err := put(root, c); err != nil {
			return conflicts, err
		}
	}
	return conflicts, nil
}

// stale says whether the workspace is not as it was when it was copied.
func (m *mirror) stale(root *os.Root, c Change) bool {
	st, err := root.Lstat(filepath.FromSlash(c.Path))
	was, ok := m.entries[filepath.FromSlash(c.Path)]
	switch {
	case !ok:
		return err == nil // something of that name has appeared
	case err != nil:
		return c.Op != Deleted
	case st.IsDir():
		return !was.mode.IsDir()
	default:
		return fileStampOf(st) != was.source
	}
}

func (m *mirror) retyped(c Change) bool {
	st, err := os.Lstat(c.From)
	return err == nil && st.Mode().Type() != m.entries[filepath.FromSlash(c.Path)].mode.Type()
}

// put writes one changed entry: whole, under another name, then renamed.
func put(root *os.Root, c Change) error {
	name := filepath.FromSlash(c.Path)
	st, err := os.Lstat(c.From)
	if err != nil {
		return err
	}
	switch {
	case st.IsDir():
		if err := root.MkdirAll(name, st.Mode().Perm()); err != nil {
			return err
		}
		return nil
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(c.From)
		if err != nil {
			return err
		}
		root.Remove(name)
		return root.Symlink(target, name)
	}
	in, err := roots.Plain(c.From)
	if err != nil {
		return err
	}
	defer in.Close()
	temp := name + ".tera-pilot-new"
	out, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(st.Mode().Perm()), out.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		root.Remove(temp)
	}
	return err
}
