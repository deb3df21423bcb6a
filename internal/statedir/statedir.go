package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// An UnsafeError says why a file or folder of ours is not used.
type UnsafeError struct{ Path, Why, Mend string }

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Path, e.Why, e.Mend)
}

// Ensure makes dir (0700) if it is not there, and checks it.
func Ensure(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("state folder: %w; name another one with --home DIR", err)
	}
	return Check(dir)
}

// Check refuses a state folder that is a link, belongs to somebody else, or
// that group or others may write. A folder that is not there is fine.
func Check(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return &UnsafeError{dir, "is a link", "use the real folder, or name another one with --home DIR"}
	}
	if !info.IsDir() {
		return &UnsafeError{dir, "is not a folder", "move it away, or name another one with --home DIR"}
	}
	return checkOwner(dir, info, 0o022, "chmod 700 "+dir)
}

// safe refuses a file of ours that is not a regular one, belongs to somebody
// else, or that others could write; private ones must not be readable either.
func safe(file string, info fs.FileInfo, private bool) error {
	if !info.Mode().IsRegular() {
		return &UnsafeError{file, "is not a regular file", "move it away"}
	}
	forbidden := fs.FileMode(0o022)
	if private {
		forbidden = 0o077
	}
	return checkOwner(file, info, forbidden, "chmod 600 "+file)
}

func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode, mend string) error {
	if info.Mode().Perm()&forbidden != 0 {
		can := "change"
		if info.Mode().Perm()&forbidden&0o022 == 0 {
			can = "read"
		}
		return &UnsafeError{path, fmt.Sprintf("has mode %04o, so that others can %s it", info.Mode().Perm(), can), mend}
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return &UnsafeError{path, fmt.Sprintf("belongs to the user with number %d", st.Uid), "run as that user, or name another state folder with --home DIR"}
	}
	return nil
}
