package ossandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// inFolder calls do with the folder of a path, opened without following any
// link: a command that swaps a folder for a link meanwhile makes it fail.
func inFolder(path string, do func(dir int, name string) error) error {
	dir, err := folderAt(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return do(dir, filepath.Base(path))
}

// putFolder renames a spare to path, unless something stands there already.
func putFolder(spare, path string) error {
	return inFolder(path, func(dir int, name string) error { return renameNew(unix.AT_FDCWD, spare, dir, name) })
}

// takeFolder renames path to a spare.
func takeFolder(path, spare string) error {
	return inFolder(path, func(dir int, name string) error { return renameNew(dir, name, unix.AT_FDCWD, spare) })
}

// makeFolder makes an empty folder at path.
func makeFolder(path string) error {
	return inFolder(path, func(dir int, name string) error { return unix.Mkdirat(dir, name, 0o755) })
}

// makeFile makes an empty file at path.
func makeFile(path string) error {
	return inFolder(path, func(dir int, name string) error {
		fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	})
}

// removeFolder removes the folder at path, if it is empty.
func removeFolder(path string) error {
	return inFolder(path, func(dir int, name string) error { return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) })
}

// removeFile removes the file at path, if it is empty.
func removeFile(path string) error {
	return inFolder(path, func(dir int, name string) error {
		var st unix.Stat_t
		if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > 0 {
			return unix.ENOTEMPTY
		}
		return unix.Unlinkat(dir, name, 0)
	})
}
