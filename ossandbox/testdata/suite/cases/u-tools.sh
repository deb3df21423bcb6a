#!/bin/sh
# kind: use
# holds: proc and dev ordinary use
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
ps aux >/dev/null; cat /proc/cpuinfo >/dev/null; nproc; free -m; df . ; head -c 8 /dev/urandom >/dev/null; [ -w /dev/null ]; exec 3</dev/fd/0; ls /dev/shm; python3 -c "from multiprocessing import shared_memory as s, Pool, Semaphore; x=s.SharedMemory(create=True,size=100); x.close(); x.unlink(); Semaphore(); print(Pool(2).map(abs,[-1,2]))"; uptime; lscpu >/dev/null; env > /dev/stderr; cat /proc/self/status >/dev/null; stat -f . >/dev/null; tty || true
