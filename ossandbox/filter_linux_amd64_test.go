package ossandbox

import "golang.org/x/sys/unix"

// administrative are the numbers of syscalls(2), x86-64, that are refused
// whatever their arguments.
var administrative = map[int]bool{
	440: true, 312: true, 438: true, // process_madvise kcmp pidfd_getfd
	250: true, 248: true, 249: true, // keyctl add_key request_key
	323: true, 321: true, 298: true, 300: true, 212: true, // userfaultfd bpf perf_event_open fanotify_init lookup_dcookie
	175: true, 313: true, 176: true, 246: true, 320: true, 169: true, // modules, kexec, reboot
	165: true, 166: true, 155: true, 161: true, // mount umount2 pivot_root chroot
	430: true, 431: true, 432: true, 433: true, 428: true, 467: true, 429: true, 442: true, // the new mount calls
	457: true, 458: true, 470: true, // statmount listmount listns
	272: true, 308: true, 304: true, 303: true, // unshare setns file handles
	167: true, 168: true, 163: true, 179: true, 443: true, // swap acct quota
	103: true, 164: true, 227: true, 305: true, 159: true, // syslog and clocks
	153: true, 180: true, 170: true, 171: true, // vhangup nfsservctl names
	172: true, 173: true, 154: true, 174: true, 177: true, 178: true, 134: true, 156: true, // iopl ioperm modify_ldt and old ones
}

// archPolicy is the policy of calls that only this architecture has.
func archPolicy(nr uint32, low func(int) uint32) (uint32, bool) {
	bad := false
	switch int(nr) {
	case unix.SYS_CHMOD, unix.SYS_CREAT, unix.SYS_MKNOD:
		bad = low(1)&0o4000 != 0
	case unix.SYS_OPEN:
		bad = low(1)&0x400040 != 0 && low(2)&0o4000 != 0
	default:
		return 0, false
	}
	if bad {
		return eperm, true
	}
	return allowed, true
}
