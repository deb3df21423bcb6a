//go:build unix && !linux

package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// procfs knows processes by kill(2) and, on macOS, by the id of the boot
// session. The start time is not known: it is 0.
type procfs struct{}

func (procfs) self() (process, error) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		boot, err = unix.Sysctl("kern.hostuuid")
	}
	return process{pid: int64(os.Getpid()), boot: boot}, err
}

func (s procfs) gone(p process) bool {
	now, err := s.self()
	if err != nil {
		return false
	}
	return now.boot != p.boot || errors.Is(unix.Kill(int(p.pid), 0), unix.ESRCH)
}
