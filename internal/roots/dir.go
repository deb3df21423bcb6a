package roots

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"

	"golang.org/x/sys/unix"
)

// A Dir is an open folder. Its methods take the name of one thing in it, and
// never follow a link.
type Dir struct {
	fd   int
	name string // beneath the root, for messages
}

const openFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

func openDir(parent int, base, name string) (*Dir, error) {
	fd := -1
	err := retry(func() (err error) {
		fd, err = unix.Openat(parent, base, openFolder, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &Dir{fd: fd, name: name}, nil
}

// Close gives the descriptor back.
func (d *Dir) Close() error { return unix.Close(d.fd) }

// Open opens a folder in d.
func (d *Dir) Open(base string) (*Dir, error) { return openDir(d.fd, base, d.join(base)) }

func (d *Dir) join(base string) string { return path.Join(d.name, base) }

func (d *Dir) fail(op, base string, err error) error {
	return &fs.PathError{Op: op, Path: d.join(base), Err: err}
}

// State looks at the folder itself.
func (d *Dir) State() (State, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(d.fd, &st) }); err != nil {
		return State{}, d.fail("stat", ".", err)
	}
	return stateOf(&st), nil
}

// Stat looks at a thing in d. One that is not there is no error: its Type is
// None.
func (d *Dir) Stat(base string) (State, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(d.fd, base, &st, unix.AT_SYMLINK_NOFOLLOW) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, nil
	case err != nil:
		return State{}, d.fail("stat", base, err)
	}
	return stateOf(&st), nil
}

// Names lists what is in the folder, sorted by bytes. It may be called once.
func (d *Dir) Names() ([]string, error) {
	var names []string
	buf := make([]byte, 32<<10)
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = unix.ReadDirent(d.fd, buf)
			return err
		})
		if err != nil {
			return nil, d.fail("list", ".", err)
		}
		if n <= 0 {
			sort.Strings(names)
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// Empty says that base is a folder with nothing in it. One that cannot be looked
// into is not known to be empty.
func (d *Dir) Empty(base string) bool {
	sub, err := d.Open(base)
	if err != nil {
		return false
	}
	names, err := sub.Names()
	return errors.Join(err, sub.Close()) == nil && len(names) == 0
}

// Readlink is the text of a link in d.
func (d *Dir) Readlink(base string) (string, error) {
	buf := make([]byte, maxName+1)
	n := 0
	err := retry(func() (err error) {
		n, err = unix.Readlinkat(d.fd, base, buf)
		return err
	})
	if err != nil {
		return "", d.fail("readlink", base, err)
	}
	return string(buf[:n]), nil
}

// Read returns the content of a regular file of at most most bytes, and the
// state it was read in. Whatever else there is is a *ChangedError.
func (d *Dir) Read(base string, most int64) ([]byte, State, error) {
	f, s, err := d.openFile(base)
	if err != nil {
		return nil, State{}, err
	}
	defer f.Close()
	if s.Size > most {
		return nil, s, &TooLargeError{d.join(base), s.Size, most}
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, s, d.fail("read", base, err)
	}
	if s.Size = int64(len(data)); s.Size > most {
		return nil, s, &TooLargeError{d.join(base), s.Size, most}
	}
	return data, s, nil
}

// openFile opens a regular file. Opening a device can act on it, so it looks
// before, and again after.
func (d *Dir) openFile(base string) (*os.File, State, error) {
	before, err := d.Stat(base)
	if err != nil {
		return nil, State{}, err
	}
	switch before.Type {
	case Regular:
	case None:
		return nil, State{}, &ChangedError{d.join(base), "is not there any more"}
	default:
		return nil, State{}, &ChangedError{d.join(base), "is " + before.Type.String() + " and not a file"}
	}
	fd := -1
	err = retry(func() (err error) {
		fd, err = unix.Openat(d.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	if errors.Is(err, unix.ELOOP) || errors.Is(err, fs.ErrNotExist) {
		return nil, State{}, &ChangedError{d.join(base), "was replaced while it was opened"}
	}
	if err != nil {
		return nil, State{}, d.fail("open", base, err)
	}
	f := os.NewFile(uintptr(fd), d.join(base))
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		f.Close()
		return nil, State{}, d.fail("stat", base, err)
	}
	s := stateOf(&st)
	if s.Type != Regular || s.ID != before.ID {
		f.Close()
		return nil, State{}, &ChangedError{d.join(base), "was replaced while it was opened"}
	}
	return f, s, nil
}
