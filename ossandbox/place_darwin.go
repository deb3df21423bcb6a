package ossandbox

import "golang.org/x/sys/unix"

const noFollowAny = 0x20000000 // O_NOFOLLOW_ANY of open(2)

// folderAt opens a folder without following any link on the way.
func folderAt(path string) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|noFollowAny, 0)
}

// renameNew renames what stands in one folder into another, unless something
// stands there already.
func renameNew(fromDir int, from string, toDir int, to string) error {
	return unix.RenameatxNp(fromDir, from, toDir, to, unix.RENAME_EXCL)
}
