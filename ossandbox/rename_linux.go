package ossandbox

import "golang.org/x/sys/unix"

// renameNew renames, unless something stands at the new name already.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
