#!/bin/sh
# kind: escape
# holds: memory of the kernel: pipes, sockets, message queues, locks
# timeout: 90
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import os,fcntl,socket
k=[]
try:
    while len(k)<2000:
        r,w=os.pipe(); fcntl.fcntl(w,1031,1<<20); k+= [r,w]
        os.set_blocking(w,False)
        try: os.write(w,b'x'*(1<<20))
        except OSError: pass
except OSError as e: print('pipes',len(k),e)
try:
    while len(k)<5000:
        a,b=socket.socketpair(); a.setblocking(False); k+=[a,b]
        try:
            while 1: a.send(b'x'*65536)
        except OSError: pass
except OSError as e: print('pairs',len(k),e)
E
true
