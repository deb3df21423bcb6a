package roots

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Type is the kind of thing a name leads to. The zero value is nothing at all.
type Type uint8

// Types of things.
const (
	None Type = iota
	Regular
	Folder
	Link
	Special // device, pipe, socket
)

var typeNames = [...]string{None: "nothing", Regular: "a file", Folder: "a folder", Link: "a link", Special: "a device, pipe or socket"}

// String is the type in words, with its article.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return typeNames[Special]
}

// ID is what makes two names the same file on this machine.
type ID struct{ Device, Inode uint64 }

// State is what was found at a place, without its content.
type State struct {
	ID
	Type    Type
	Links   uint64 // hard links
	Mode    uint32 // permission bits
	Size    int64
	ModTime int64 // seconds since 1970
	uid     uint32
	gid     uint32
	mtime   unix.Timespec
	ctime   unix.Timespec
}

// Want is the state that an act was decided about. The zero Want fits nothing.
type Want struct {
	ID
	Type   Type
	Links  uint64  // of a file that is replaced
	Mode   *uint32 // of a file that is replaced; nil leaves it out of the comparison
	SHA256 string  // hex, of a file's content; "" leaves the content out of the comparison
}

// fits says whether s is what was decided about, but for the content.
func (w Want) fits(s State) bool {
	return w.Type != None && w.Type == s.Type && w.ID == s.ID
}

// A ChangedError says that a place is not as it was decided about. Nothing was
// done.
type ChangedError struct {
	Name string // beneath the root
	How  string // "is a link now", …
}

func (e *ChangedError) Error() string { return e.Name + " " + e.How }

// A TooLargeError says that a file has more bytes than the caller takes.
type TooLargeError struct {
	Name      string
	Size, Max int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, over the limit of %d", e.Name, e.Size, e.Max)
}

// A NameError says why a name cannot be used at all.
type NameError struct{ Name, Why string }

func (e *NameError) Error() string { return fmt.Sprintf("the name %q %s", short(e.Name), e.Why) }

func short(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

func stateOf(st *unix.Stat_t) State {
	return State{
		ID:   ID{Device: uint64(st.Dev), Inode: st.Ino}, //nolint:unconvert // Dev is an int32 on darwin
		Type: typeOf(uint32(st.Mode)), Links: uint64(st.Nlink), Mode: uint32(st.Mode) & uint32(fs.ModePerm),
		Size: st.Size, ModTime: mtimeOf(st).Sec, uid: st.Uid, gid: st.Gid, mtime: mtimeOf(st), ctime: ctimeOf(st),
	}
}

func typeOf(mode uint32) Type {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return Regular
	case unix.S_IFDIR:
		return Folder
	case unix.S_IFLNK:
		return Link
	default:
		return Special
	}
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
