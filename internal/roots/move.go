package roots

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// ErrNotEmpty says that a folder cannot be removed because something is in it.
var ErrNotEmpty = errors.New("the folder is not empty")

// Remove takes away a file, a link (not what it leads to) or an empty folder,
// which must be want.
func (r *Root) Remove(name string, want Want) error {
	d, base, err := r.parent(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := d.verify(base, base, want); err != nil {
		return err
	}
	if want.Type == Folder {
		err = d.rmdir(base)
	} else {
		err = d.removeFile(base, want)
	}
	if err != nil {
		return err
	}
	return d.sync()
}

func (d *Dir) rmdir(base string) error {
	err := retry(func() error { return unix.Unlinkat(d.fd, base, unix.AT_REMOVEDIR) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", d.join(base), ErrNotEmpty)
	default:
		return d.fail("remove", base, err)
	}
}

// removeFile takes the name away first and looks at what came, so that a file
// that was put there in between is put back and not lost.
func (d *Dir) removeFile(base string, want Want) error {
	aside := tempName()
	if err := moveNew(d, base, d, aside, want.Type); err != nil {
		return notThere(d, base, err)
	}
	_, err := d.verify(aside, base, want)
	if err == nil {
		return d.unlink(aside)
	}
	if back := moveNew(d, aside, d, base, want.Type); back != nil {
		return errors.Join(err, &KeptError{Name: d.join(base), At: d.join(aside), Err: back})
	}
	return err
}

// Rename moves what is at from, which must be want, to a name that is free. A
// name that is taken is a *ChangedError.
func (r *Root) Rename(from string, want Want, to string) (State, error) {
	fromDir, fromBase, err := r.parent(from)
	if err != nil {
		return State{}, err
	}
	defer fromDir.Close()
	toDir, toBase, err := r.parent(to)
	if err != nil {
		return State{}, err
	}
	defer toDir.Close()
	if _, err := fromDir.verify(fromBase, fromBase, want); err != nil {
		return State{}, err
	}
	if err := moveNew(fromDir, fromBase, toDir, toBase, want.Type); err != nil {
		return State{}, renameFailed(fromDir, toDir, fromBase, toBase, err)
	}
	s, err := toDir.verify(toBase, fromBase, want)
	if err != nil {
		if back := moveNew(toDir, toBase, fromDir, fromBase, want.Type); back != nil {
			return State{}, errors.Join(err, &KeptError{Name: fromDir.join(fromBase), At: toDir.join(toBase), Err: back})
		}
		return State{}, err
	}
	return s, errors.Join(toDir.sync(), fromDir.sync())
}

func renameFailed(fromDir, toDir *Dir, from, to string, err error) error {
	switch {
	case errors.Is(err, unix.EXDEV):
		return fmt.Errorf("%s and %s lie on different file systems; copy and delete instead", fromDir.join(from), toDir.join(to))
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("%s cannot be moved into itself", fromDir.join(from))
	case errors.Is(err, fs.ErrNotExist):
		return notThere(fromDir, from, err)
	default:
		return taken(toDir, to, err)
	}
}

// moveNew renames to a name that must be free.
func moveNew(fromDir *Dir, from string, toDir *Dir, to string, t Type) error {
	err := renameNew(fromDir.fd, from, toDir.fd, to)
	if unsupported(err) {
		return moveClaimed(fromDir, from, toDir, to, t)
	}
	return err
}

// moveClaimed is moveNew on file systems that have no such rename: a second
// link (for a folder: an empty folder) takes the name first, and fails when it
// is taken.
func moveClaimed(fromDir *Dir, from string, toDir *Dir, to string, t Type) error {
	if t != Folder {
		if err := retry(func() error { return unix.Linkat(fromDir.fd, from, toDir.fd, to, 0) }); err != nil {
			return err
		}
		return fromDir.unlink(from)
	}
	if err := retry(func() error { return unix.Mkdirat(toDir.fd, to, 0o700) }); err != nil {
		return err
	}
	if err := retry(func() error { return unix.Renameat(fromDir.fd, from, toDir.fd, to) }); err != nil {
		return errors.Join(err, toDir.rmdir(to))
	}
	return nil
}

// Mkdir makes a folder. mode is what the process's umask may take bits from. A
// name that is taken is a *ChangedError.
func (r *Root) Mkdir(name string, mode uint32) (State, error) {
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	if err := retry(func() error { return unix.Mkdirat(d.fd, base, mode&uint32(fs.ModePerm)) }); err != nil {
		return State{}, taken(d, base, err)
	}
	s, err := d.Stat(base)
	return s, errors.Join(err, d.sync())
}

// Chmod sets the permission bits of a file or folder, which must be want.
func (r *Root) Chmod(name string, want Want, mode uint32) (State, error) {
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	if want.Type != Regular && want.Type != Folder {
		return State{}, &NameError{name, "is neither a file nor a folder"}
	}
	if _, err := d.verify(base, base, want); err != nil {
		return State{}, err
	}
	fd := -1
	err = retry(func() (err error) {
		fd, err = unix.Openat(d.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return State{}, d.fail("open", base, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return State{}, d.fail("stat", base, err)
	}
	if !want.fits(stateOf(&st)) {
		return State{}, &ChangedError{d.join(base), "was replaced by another"}
	}
	if err := unix.Fchmod(fd, mode&uint32(fs.ModePerm)); err != nil {
		return State{}, d.fail("chmod", base, err)
	}
	return d.Stat(base)
}
