package ossandbox

import (
	"io/fs"
	"syscall"
	"time"
)

// ownerOf is the user that something belongs to.
func ownerOf(st fs.FileInfo) (uid int, ok bool) {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}

// stampOf tells one state of a file from another. Where nothing is known of a
// file but its name, no two looks at it are the same.
func stampOf(st fs.FileInfo) dirStamp {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return dirStamp{modified: st.ModTime(), changed: time.Now()}
	}
	return dirStamp{modified: st.ModTime(), changed: changedAt(s), inode: s.Ino}
}
