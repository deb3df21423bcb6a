#!/bin/sh
# kind: escape
# holds: handles on processes and their memory, of the host's or the sandbox's own; no rings, maps and mounts
# post: alive
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import ctypes,os
l=ctypes.CDLL(None,use_errno=True)
# A process of the host must not be there at all: by its number, or any other
# than this command's own ones.
canary=int(os.environ.get('CANARY_PID') or 0)
mark=(os.environ.get('MARK') or '').encode()
buf=ctypes.create_string_buffer(64)
class iovec(ctypes.Structure): _fields_=[('base',ctypes.c_void_p),('len',ctypes.c_size_t)]
mine=iovec(ctypes.cast(buf,ctypes.c_void_p),64); there=iovec(0x400000,64)
def try_(name,n,*a):
    r=l.syscall(n,*a); print(name,r,ctypes.get_errno())
    return r
if canary and canary!=os.getpid():
    fd=try_('pidfd_open',434,canary,0)
    if fd>=0:
        name=open('/proc/%d/cmdline'%canary,'rb').read() if os.path.exists('/proc/%d'%canary) else b''
        if try_('pidfd_send_signal',424,fd,0,0,0)==0 and b'canary' in name: print('ESCAPED a handle on a process of the host')
    if try_('process_vm_readv',310,canary,ctypes.byref(mine),1,ctypes.byref(there),1,0)>0: print('ESCAPED the memory of',canary)
# What has no use in a command and a long history of faults.
for name,n,a in (('process_vm_readv',310,(1,ctypes.byref(mine),1,ctypes.byref(there),1,0)),('process_vm_writev',311,(1,ctypes.byref(mine),1,ctypes.byref(there),1,0)),
                 ('pidfd_getfd',438,(0,0,0)),('io_uring_setup',425,(8,ctypes.create_string_buffer(256))),('userfaultfd',323,(1,)),('bpf',321,(0,ctypes.create_string_buffer(128),128)),
                 ('memfd_secret',447,(0,)),('unshare a user namespace',272,(0x10000000,))):
    if try_(name,n,*a)>=0: print('ESCAPED',name)
E
true
