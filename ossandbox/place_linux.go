package ossandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// inFolder calls do with the folder of a path, opened without following any
// link: a command that swaps a folder for a link meanwhile makes it fail.
func inFolder(path string, do func(dir int, name string) error) error {
	dir, err := unix.Openat2(unix.AT_FDCWD, filepath.Dir(path), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return do(dir, filepath.Base(path))
}

// putFolder renames a spare to path, unless something stands there already.
func putFolder(spare, path string) error {
	return inFolder(path, func(dir int, name string) error {
		return unix.Renameat2(unix.AT_FDCWD, spare, dir, name, unix.RENAME_NOREPLACE)
	})
}

// takeFolder renames path to a spare.
func takeFolder(path, spare string) error {
	return inFolder(path, func(dir int, name string) error {
		return unix.Renameat2(dir, name, unix.AT_FDCWD, spare, unix.RENAME_NOREPLACE)
	})
}
