#!/bin/sh
# kind: escape
# holds: memory of the kernel: what pipes and sockets hold stays below 512 MiB
# timeout: 90
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import os,fcntl,resource,socket
try: resource.setrlimit(resource.RLIMIT_NOFILE,(resource.getrlimit(resource.RLIMIT_NOFILE)[1],)*2)
except (OSError,ValueError): pass
k,held=[],{'pipes':0,'pairs':0}
def fill(fd,what):
    os.set_blocking(fd,False)
    try:
        while True: held[what]+=os.write(fd,b'x'*65536)
    except OSError: pass
try:
    while len(k)<2000:
        r,w=os.pipe(); k+=[r,w]
        try: fcntl.fcntl(w,1031,1<<20)
        except OSError: pass # beyond what a user may have: it keeps the size that it has
        fill(w,'pipes')
except OSError as e: print('pipes',len(k),e)
try:
    while len(k)<12000:
        a,b=socket.socketpair(); k+=[a,b]
        fill(a.fileno(),'pairs')
except OSError as e: print('pairs',len(k),e)
print(held)
if sum(held.values())>=1<<29: print('ESCAPED the kernel holds',held)
E
true
