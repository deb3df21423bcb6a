package roots

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// Create makes a new file with data, whole or not at all. mode is what the
// process's umask may take bits from. A name that is taken is a *ChangedError.
func (r *Root) Create(name string, data []byte, mode uint32) (State, error) {
	return r.create(name, data, mode, func(*os.File) error { return nil })
}

func (r *Root) create(name string, data []byte, mode uint32, finish func(*os.File) error) (State, error) {
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	tmp, s, err := d.writeTemp(data, finish, mode)
	if err != nil {
		return State{}, err
	}
	if err := moveNew(d, tmp, d, base, Regular); err != nil {
		return State{}, errors.Join(taken(d, base, err), d.unlink(tmp))
	}
	return s, d.sync()
}

// taken turns EEXIST into a *ChangedError.
func taken(d *Dir, base string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &ChangedError{d.join(base), "exists now"}
	}
	return d.fail("create", base, err)
}

// Replace gives a file other content and mode, in one step. What is there must
// be want, with as many hard links: the new content goes to this name alone.
func (r *Root) Replace(name string, want Want, data []byte, mode uint32) (State, error) {
	d, base, err := r.parent(name)
	if err != nil {
		return State{}, err
	}
	defer d.Close()
	old, err := d.verify(base, base, want)
	if err != nil {
		return State{}, err
	}
	if old.Links != want.Links {
		return State{}, &ChangedError{d.join(base), "has another number of hard links"}
	}
	if want.Mode != nil && old.Mode != *want.Mode {
		return State{}, &ChangedError{d.join(base), "has another mode"}
	}
	tmp, s, err := d.writeTemp(data, func(f *os.File) error { return take(f, old, mode) }, 0o600)
	if err != nil {
		return State{}, err
	}
	if err := d.swap(tmp, base, s.ID, want); err != nil {
		return State{}, err
	}
	return s, d.sync()
}

// take gives a new file the owner of the old one, then its mode: changing the
// owner can take bits away.
func take(f *os.File, old State, mode uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	if st.Uid != old.uid || st.Gid != old.gid {
		if err := f.Chown(int(old.uid), int(old.gid)); err != nil {
			return errors.New("it belongs to another user or group, and a replacement would not")
		}
	}
	return f.Chmod(fs.FileMode(mode) & fs.ModePerm)
}

// swap puts tmp, which is ours, in the place of base, which must be want to
// the last moment: the two names are exchanged, and what came out is looked at
// before it goes.
func (d *Dir) swap(tmp, base string, ours ID, want Want) error {
	err := exchange(d.fd, tmp, base)
	switch {
	case unsupported(err):
		return d.overwrite(tmp, base, want)
	case err != nil:
		return errors.Join(notThere(d, base, err), d.unlink(tmp))
	}
	if _, err = d.verify(tmp, base, want); err == nil {
		return d.unlink(tmp)
	}
	return errors.Join(err, d.putBack(tmp, base, ours))
}

// overwrite is swap on a file system that cannot exchange: it looks right
// before it renames.
func (d *Dir) overwrite(tmp, base string, want Want) error {
	_, err := d.verify(base, base, want)
	if err == nil {
		err = retry(func() error { return unix.Renameat(d.fd, tmp, d.fd, base) })
	}
	if err != nil {
		return errors.Join(err, d.unlink(tmp))
	}
	return nil
}

// notThere turns ENOENT into a *ChangedError.
func notThere(d *Dir, base string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &ChangedError{d.join(base), "is not there any more"}
	}
	return d.fail("rename", base, err)
}

// putBack undoes an exchange. Should somebody have replaced the name yet
// again, their file stays under one of the two names.
func (d *Dir) putBack(tmp, base string, ours ID) error {
	if err := exchange(d.fd, tmp, base); err != nil {
		return &KeptError{Name: d.join(base), At: d.join(tmp), Err: err}
	}
	if s, err := d.Stat(tmp); err != nil || s.ID != ours {
		return &KeptError{Name: d.join(base), At: d.join(tmp), Err: err}
	}
	return d.unlink(tmp)
}

// A KeptError says that somebody changed a name again and again during an act,
// and that what was found there lies under another name now.
type KeptError struct {
	Name, At string
	Err      error
}

func (e *KeptError) Error() string {
	return e.Name + " changed several times in a moment; a version that could not be put back was kept as " + e.At
}

// Unwrap is what kept it from being put back, or nil.
func (e *KeptError) Unwrap() error { return e.Err }

// verify holds what is at base to want; called is its name for messages.
func (d *Dir) verify(base, called string, want Want) (State, error) {
	changed := func(how string) error { return &ChangedError{d.join(called), how} }
	s, err := d.Stat(base)
	switch {
	case err != nil:
		return s, err
	case s.Type == None:
		return s, changed("is not there any more")
	case s.Type != want.Type:
		return s, changed("is " + s.Type.String() + " now")
	case !want.fits(s):
		return s, changed("was replaced by another")
	case s.Type != Regular || want.SHA256 == "":
		return s, nil
	}
	f, s, err := d.openFile(base)
	if err != nil {
		return s, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return s, d.fail("read", called, err)
	}
	if s.ID != want.ID || hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		return s, changed("has other content")
	}
	return s, nil
}

// Hash is the SHA-256 of content in hex, as Want holds it.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tempName is a name that nobody can foresee or already has.
func tempName() string {
	var random [8]byte
	rand.Read(random[:])
	return ".tera-pilot-" + hex.EncodeToString(random[:]) + ".tmp"
}

// writeTemp writes a file of a random name, durable on disk. finish may change
// its owner and mode.
func (d *Dir) writeTemp(data []byte, finish func(*os.File) error, mode uint32) (name string, s State, err error) {
	name = tempName()
	fd := -1
	err = retry(func() (err error) {
		fd, err = unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		return err
	})
	if err != nil {
		return "", State{}, d.fail("create", name, err)
	}
	f := os.NewFile(uintptr(fd), d.join(name))
	err = func() error {
		defer f.Close()
		if _, err := f.Write(data); err != nil {
			return err
		}
		if err := finish(f); err != nil {
			return err
		}
		return f.Sync()
	}()
	if err == nil {
		s, err = d.Stat(name)
	}
	if err != nil {
		return "", State{}, errors.Join(d.fail("write", path.Base(name), err), d.unlink(name))
	}
	return name, s, nil
}

func (d *Dir) unlink(base string) error {
	if err := retry(func() error { return unix.Unlinkat(d.fd, base, 0) }); err != nil {
		return d.fail("remove", base, err)
	}
	return nil
}

// sync makes the folder's names durable. File systems that cannot sync a
// folder say EINVAL.
func (d *Dir) sync() error {
	err := retry(func() error { return unix.Fsync(d.fd) })
	if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return d.fail("sync", ".", err)
	}
	return nil
}
