package lines

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Flush drops what a terminal holds and nobody has read.
func Flush(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		const read = 1 // FREAD of sys/fcntl.h: the input alone
		// Not a terminal: there is nothing to drop.
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, read)
	}
}
