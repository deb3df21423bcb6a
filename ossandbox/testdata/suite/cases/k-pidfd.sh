#!/bin/sh
# kind: escape
# holds: handles on processes and their memory, of the host or the sandbox; rings and user namespaces
# post: alive
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import ctypes,os
l=ctypes.CDLL(None,use_errno=True)
class iovec(ctypes.Structure): _fields_=[('base',ctypes.c_void_p),('len',ctypes.c_size_t)]
buf=ctypes.create_string_buffer(256)
mine=ctypes.byref(iovec(ctypes.cast(buf,ctypes.c_void_p),64))
own=ctypes.byref(iovec(ctypes.cast(ctypes.create_string_buffer(b'x'*64),ctypes.c_void_p),64))
canary,me=int(os.environ['CANARY_PID']),os.getpid()
for name,n,a in (
    ('pidfd_open of the host',434,(canary,0)), ('process_vm_readv of the host',310,(canary,mine,1,own,1,0)),
    ('process_vm_readv',310,(me,mine,1,own,1,0)), ('process_vm_writev',311,(me,mine,1,own,1,0)),
    ('pidfd_getfd',438,(l.syscall(434,me,0),0,0)), ('process_madvise',440,(l.syscall(434,me,0),own,1,20,0)),
    ('io_uring_setup',425,(8,buf)), ('userfaultfd',323,(1,)), ('bpf',321,(0,ctypes.create_string_buffer(b'\2\0\0\0\4\0\0\0\4\0\0\0\1',128),72)),
    ('a user namespace',272,(0x10000000,))):
    r=l.syscall(n,*a); print(name,r,ctypes.get_errno())
    if r>=0: print('ESCAPED',name)
E
true
