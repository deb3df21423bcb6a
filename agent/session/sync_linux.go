package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes a file's content durable, without its times.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
