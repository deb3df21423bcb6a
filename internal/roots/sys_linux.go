package roots

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNew moves a name to one that must be free (renameat2(2), RENAME_NOREPLACE).
func renameNew(fromDir int, from string, toDir int, to string) error {
	return retry(func() error { return unix.Renameat2(fromDir, from, toDir, to, unix.RENAME_NOREPLACE) })
}

// exchange swaps what two names of one folder lead to, in one step.
func exchange(dir int, a, b string) error {
	return retry(func() error { return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE) })
}

// unsupported says that a file system does not know the flag of a rename.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

func mtimeOf(st *unix.Stat_t) unix.Timespec { return st.Mtim }
func ctimeOf(st *unix.Stat_t) unix.Timespec { return st.Ctim }
