package ossandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

const noFollowAny = 0x20000000 // O_NOFOLLOW_ANY of open(2)

// inFolder calls do with the folder of a path, opened without following any
// link: a command that swaps a folder for a link meanwhile makes it fail.
func inFolder(path string, do func(dir int, name string) error) error {
	dir, err := unix.Open(filepath.Dir(path), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|noFollowAny, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return do(dir, filepath.Base(path))
}

// putFolder renames a spare to path, unless something stands there already.
func putFolder(spare, path string) error {
	return inFolder(path, func(dir int, name string) error {
		return unix.RenameatxNp(unix.AT_FDCWD, spare, dir, name, unix.RENAME_EXCL)
	})
}

// takeFolder renames path to a spare.
func takeFolder(path, spare string) error {
	return inFolder(path, func(dir int, name string) error {
		return unix.RenameatxNp(dir, name, unix.AT_FDCWD, spare, unix.RENAME_EXCL)
	})
}
