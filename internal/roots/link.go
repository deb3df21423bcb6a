package roots

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Symlink makes a link with a text, which is not looked at. A name that is
// taken is a *ChangedError.
func (r *Root) Symlink(name, text string) (State, error) {
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	if err := retry(func() error { return unix.Symlinkat(text, d.fd, base) }); err != nil {
		return State{}, taken(d, base, err)
	}
	s, err := d.Stat(base)
	return s, errors.Join(err, d.sync())
}

// CreateExact is Create with just the mode, whatever the process's umask.
func (r *Root) CreateExact(name string, data []byte, mode uint32) (State, error) {
	return r.create(name, data, 0o600, func(f *os.File) error { return f.Chmod(fs.FileMode(mode) & fs.ModePerm) })
}

// MkdirExact is Mkdir with just the mode, whatever the process's umask.
func (r *Root) MkdirExact(name string, mode uint32) (State, error) {
	s, err := r.Mkdir(name, mode)
	if err != nil || s.Mode == mode {
		return s, err
	}
	return r.Chmod(name, Want{ID: s.ID, Type: Folder}, mode)
}

// Stamp is when content and facts of a thing last changed, in nanoseconds since
// 1970: the two numbers that a change cannot leave as they were, but for one
// within the clock's own tick.
func (s State) Stamp() (mtime, ctime int64) { return s.mtime.Nano(), s.ctime.Nano() }
