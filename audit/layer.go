package audit

import (
	"context"
	"io"
)

// A Layer is the file system below one state folder, as far as the log needs
// it. Names are relative to the folder and use slashes. The real one is
// [OSLayer]; tests hand in others that forget, tear and fail.
type Layer interface {
	// Prepare makes the state folder if it is missing, and refuses one that
	// somebody else could change.
	Prepare() error
	// Open opens a regular file with flags of package os. It follows no link,
	// and refuses a file that others may write or, for writing, that belongs
	// to somebody else. New files get the mode 0600.
	Open(name string, flag int) (File, error)
	// Mkdir makes a folder with the mode 0700. One that exists is no error
	// unless it is a link or others may write it.
	Mkdir(name string) error
	// List gives the names in a folder, sorted.
	List(name string) ([]string, error)
	// Stat looks at a file without following a link.
	Stat(name string) (FileStat, error)
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
}

// A File is an open file of a Layer.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Writer // appends, when opened with os.O_APPEND
	io.Closer
	Truncate(size int64) error
	// Sync makes the content durable.
	Sync() error
	// Reserve keeps space for the file up to this size, without changing its
	// size. It fails with an error that wraps ENOSPC when there is none.
	Reserve(size int64) error
	Stat() (FileStat, error)
	// Lock takes the advisory lock of the file, alone or shared with other
	// readers, and waits for it until ctx ends.
	Lock(ctx context.Context, alone bool) error
	Unlock() error
}

// FileStat is what the log needs to know of a file.
type FileStat struct {
	Size  int64
	ID    uint64 // the same for two names of one file
	Links uint64 // 0: the name is gone
	Mode  uint32 // permission bits
}
