#!/bin/sh
# kind: use
# holds: locks and inotify and fifo and mmap
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
flock lockf true; python3 - <<X
import fcntl,mmap,os,tempfile
f=open("lk","w+"); fcntl.lockf(f,fcntl.LOCK_EX); f.truncate(4096); m=mmap.mmap(f.fileno(),4096); m[0:1]=b"x"; m.flush()
import ctypes; l=ctypes.CDLL(None); i=l.inotify_init1(0); assert i>=0; assert l.inotify_add_watch(i,b".",0x100)>=0; open("new","w"); assert os.read(i,100)
os.mkfifo("ff"); os.link("lk","lk2"); os.symlink("lk","lk3"); os.rename("lk2","lk4"); os.utime("lk4",(1,1)); os.chmod("lk4",0o755)
import sqlite3; d=sqlite3.connect("t.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(a)"); d.commit(); d.close()
os.posix_fallocate(f.fileno(),0,1<<20)
X
