package ossandbox

import "golang.org/x/sys/unix"

// renameNew renames, unless something stands at the new name already.
func renameNew(from, to string) error {
	return unix.RenamexNp(from, to, unix.RENAME_EXCL)
}
