package audit

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

type unixStat = syscall.Stat_t

// Sync is fdatasync(2): the size is synced too, time stamps need not be.
func (f *osFile) Sync() error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Reserve asks for blocks beyond the end of the file. File systems that cannot
// do it are not refused: they lose the reserve, nothing else.
func (f *osFile) Reserve(size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		default:
			return err
		}
	}
}
