package statedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile bounds a file of ours that is read whole, in bytes.
const maxFile = 16 << 20

// Open opens a file for reading and holds what was opened, not its name,
// against the rules: no link, ours alone to write and, when private, to read. What is read is what was checked. One that is
// not there is fs.ErrNotExist.
func Open(file string, private bool) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &UnsafeError{file, "is not a regular file", "move it away"}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = safe(file, info, private)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenRegular opens a regular file of a store, of any size, by the flags of
// os.OpenFile; one that is made has mode 0600. A link or a pipe in its place is
// neither followed nor waited for. One that is not there is fs.ErrNotExist.
func OpenRegular(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &UnsafeError{path, "is not a regular file", "move it away"}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadRegular reads such a file whole, if it has at most limit bytes: one with a
// hole of terabytes would be read without end.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		b, err = nil, &UnsafeError{path, fmt.Sprintf("is larger than %d bytes", limit), "move it away"}
	}
	return b, errors.Join(err, f.Close())
}

// Read returns the content of a file of ours, held against the same rules. One that is
// not there has none, and is no error.
func Read(file string, private bool) ([]byte, error) {
	f, err := Open(file, private)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, &UnsafeError{file, fmt.Sprintf("is larger than %d bytes", maxFile), "move it away"}
	}
	return data, nil
}

// Update replaces a file of ours by what change makes of its content, whole or
// not at all, with the mode 0600. Processes that update one file wait for each
// other. The folder is made if it is not there; when change returns an error,
// nothing is written.
func Update(file string, change func(old []byte) ([]byte, error)) (err error) {
	dir := filepath.Dir(file)
	if err := Ensure(dir); err != nil {
		return err
	}
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("lock of %s: %w", file, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // gives the lock back
	if err := flock(lock); err != nil {
		return fmt.Errorf("lock of %s: %w", file, err)
	}
	old, err := Read(file, false)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	return Write(file, data)
}

func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Write puts data in the place of a file, whole or not at all and durably, with
// the mode 0600. Who writes what he has read before uses Update.
func Write(file string, data []byte) error {
	dir := filepath.Dir(file)
	tmp, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // does nothing once the file has its name
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), file); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
