package world

import "golang.org/x/sys/unix"

func stateOf(st *unix.Stat_t) programState {
	return programState{dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mtime: st.Mtim, ctime: st.Ctim}
}
