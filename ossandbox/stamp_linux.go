package ossandbox

import (
	"io/fs"
	"syscall"
	"time"
)

func stampOf(st fs.FileInfo) dirStamp {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return dirStamp{modified: st.ModTime(), changed: time.Now()}
	}
	return dirStamp{modified: st.ModTime(), changed: time.Unix(s.Ctim.Unix()), inode: s.Ino}
}
