package roots

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Plain opens a regular file by its name for reading, for what is read of a
// tree without being an act on it. Links are followed; what is no regular file,
// such as a pipe, is an error and is not waited for.
func Plain(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadPlain reads such a file whole; more than limit bytes are an error.
func ReadPlain(path string, limit int64) ([]byte, error) {
	f, err := Plain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return b, err
}
