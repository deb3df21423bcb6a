#!/bin/sh
# kind: use
# holds: memfd, jit, threads, timers, epoll
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
python3 - <<X
import os,mmap,threading,select,signal,ctypes
f=os.memfd_create("x"); os.write(f,b"#!/bin/sh\necho memfd-ok\n")
m=mmap.mmap(-1,4096,prot=7); e=select.epoll(); os.eventfd(0)
t=[threading.Thread(target=lambda:None) for _ in range(100)]; [x.start() for x in t]
signal.signal(14,lambda *a:0); signal.setitimer(0,0.01)
os.pidfd_open(os.getpid()); os.sched_getaffinity(0); os.nice(1); os.getrandom(4); os.setpgid(0,0)
X
true
