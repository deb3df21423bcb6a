//go:build unix

package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// OSLayer is the Layer over the real folder dir.
func OSLayer(dir string) Layer { return osLayer{dir: dir} }

// FolderLayer is the Layer over a log that lies in a folder of any name, such
// as one that was set aside.
func FolderLayer(dir string) Layer { return osLayer{dir: dir, bare: true} }

type osLayer struct {
	dir  string
	bare bool // dir is the folder of the log itself
}

func (l osLayer) path(name string) string {
	if rest, ok := strings.CutPrefix(name, dirLog); ok && l.bare && (rest == "" || rest[0] == '/') {
		name = rest
	}
	return filepath.Join(l.dir, filepath.FromSlash(name))
}

func (l osLayer) Prepare() error {
	if err := os.MkdirAll(filepath.Dir(l.dir), 0o700); err != nil {
		return err
	}
	parent, err := os.Stat(filepath.Dir(l.dir))
	if err != nil {
		return err
	}
	if parent.Mode().Perm()&0o002 != 0 && parent.Mode()&fs.ModeSticky == 0 {
		return &UnsafeError{filepath.Dir(l.dir), "may be written by everybody", "take that right away with chmod o-w, or name another state folder with --home"}
	}
	return l.Mkdir("")
}

func (l osLayer) Mkdir(name string) error {
	path := l.path(name)
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &UnsafeError{path, "is a link", "put a real folder in its place"}
	case !info.IsDir():
		return &UnsafeError{path, "is not a folder", "move it away"}
	case info.Mode().Perm()&0o022 != 0:
		return &UnsafeError{path, "may be written by others", "take that right away with chmod go-w"}
	}
	return ownedByUs(path, info)
}

// ownedByUs refuses what belongs to another user: whoever owns a file can
// change it, whatever its mode says.
func ownedByUs(path string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*unixStat); ok && int(st.Uid) != os.Geteuid() {
		return &UnsafeError{path, fmt.Sprintf("belongs to user %d, and we run as user %d", st.Uid, os.Geteuid()), "run as its owner, or name another state folder with --home"}
	}
	return nil
}

func (l osLayer) Open(name string, flag int) (File, error) {
	path := l.path(name)
	// O_NONBLOCK: a pipe in the place of a file must not hold us up.
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if errors.Is(err, unix.ELOOP) {
		return nil, &UnsafeError{path, "is a link", "put the real file in its place"}
	}
	if err != nil {
		return nil, err
	}
	if err := safe(path, f, flag); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &osFile{f}, nil
}

func safe(path string, f *os.File, flag int) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch {
	case !info.Mode().IsRegular():
		return &UnsafeError{path, "is not a regular file", "move it away"}
	case info.Mode().Perm()&0o022 != 0:
		return &UnsafeError{path, "may be written by others", "take that right away with chmod go-w, and find out who wrote it"}
	}
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return nil
	}
	if st, ok := info.Sys().(*unixStat); ok && st.Nlink > 1 {
		return &UnsafeError{path, "has a second name (a hard link), under which it would change too", "give it a file of its own: cp -p it elsewhere, then mv that in its place"}
	}
	return ownedByUs(path, info)
}

func (l osLayer) List(name string) ([]string, error) {
	entries, err := os.ReadDir(l.path(name))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (l osLayer) Stat(name string) (FileStat, error) {
	info, err := os.Lstat(l.path(name))
	if err != nil {
		return FileStat{}, err
	}
	return fileStat(info), nil
}

func fileStat(info fs.FileInfo) FileStat {
	out := FileStat{Size: info.Size(), Mode: uint32(info.Mode().Perm())}
	if st, ok := info.Sys().(*unixStat); ok {
		out.ID, out.Links = st.Ino, uint64(st.Nlink)
	}
	return out
}

func (l osLayer) Rename(from, to string) error { return os.Rename(l.path(from), l.path(to)) }

func (l osLayer) Remove(name string) error { return os.Remove(l.path(name)) }

func (l osLayer) SyncDir(name string) error {
	d, err := os.Open(l.path(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

type osFile struct{ *os.File }

func (f *osFile) Stat() (FileStat, error) {
	info, err := f.File.Stat()
	if err != nil {
		return FileStat{}, err
	}
	return fileStat(info), nil
}

// Lock waits in a goroutine of its own where the lock is taken, since flock(2)
// cannot be interrupted. When ctx ends first, that goroutine gives the lock
// back as soon as it gets it.
func (f *osFile) Lock(ctx context.Context, alone bool) error {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	fd := int(f.Fd())
	err := flock(fd, how|unix.LOCK_NB)
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return err
	}
	got := make(chan error)
	go func() { // outlives us where nobody gives the lock back: flock cannot be called off
		err := flock(fd, how)
		select {
		case got <- err:
		case <-ctx.Done():
			if err == nil {
				_ = flock(fd, unix.LOCK_UN) // closing the file does it too
			}
		}
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s is locked by another process: %w", f.Name(), context.Cause(ctx))
	}
}

func (f *osFile) Unlock() error { return flock(int(f.Fd()), unix.LOCK_UN) }

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
