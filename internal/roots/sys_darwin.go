package roots

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNew moves a name to one that must be free (renameatx_np(2), RENAME_EXCL).
func renameNew(fromDir int, from string, toDir int, to string) error {
	return retry(func() error { return unix.RenameatxNp(fromDir, from, toDir, to, unix.RENAME_EXCL) })
}

// exchange swaps what two names of one folder lead to, in one step.
func exchange(dir int, a, b string) error {
	return retry(func() error { return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP) })
}

// unsupported says that a file system does not know the flag of a rename.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

func mtimeOf(st *unix.Stat_t) unix.Timespec { return st.Mtim }
func ctimeOf(st *unix.Stat_t) unix.Timespec { return st.Ctim }
