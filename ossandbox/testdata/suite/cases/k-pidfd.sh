#!/bin/sh
# kind: escape
# holds: handles on processes and their memory
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import ctypes,os
l=ctypes.CDLL(None,use_errno=True)
for n,a in ((434,(1,0)),(438,(0,0,0)),(310,(1,0,0,0,0,0)),(311,(1,0,0,0,0,0)),(440,(0,0,0,0,0)),(448,(0,0)),(425,(8,0)),(323,(0,)),(321,(0,0,0)),(447,(0,)),(272,(0x10000000,)),(435,(0,0))):
    r=l.syscall(n,*a); print(n,r,ctypes.get_errno())
E
true
