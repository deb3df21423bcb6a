package lines

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Flush drops what a terminal holds and nobody has read.
func Flush(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		// Not a terminal: there is nothing to drop, and the code guards.
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
