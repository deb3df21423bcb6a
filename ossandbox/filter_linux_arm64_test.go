package ossandbox

// administrative are the numbers of syscalls(2), arm64, that are refused
// whatever their arguments.
var administrative = map[int]bool{
	440: true, 272: true, 438: true, // process_madvise kcmp pidfd_getfd
	219: true, 217: true, 218: true, // keyctl add_key request_key
	282: true, 280: true, 241: true, 262: true, 18: true, // userfaultfd bpf perf_event_open fanotify_init lookup_dcookie
	105: true, 273: true, 106: true, 104: true, 294: true, 142: true, // modules, kexec, reboot
	40: true, 39: true, 41: true, 51: true, // mount umount2 pivot_root chroot
	430: true, 431: true, 432: true, 433: true, 428: true, 467: true, 429: true, 442: true, // the new mount calls
	457: true, 458: true, 470: true, // statmount listmount listns
	97: true, 268: true, 265: true, 264: true, // unshare setns file handles
	224: true, 225: true, 89: true, 60: true, 443: true, // swap acct quota
	116: true, 170: true, 112: true, 266: true, 171: true, // syslog and clocks
	58: true, 42: true, 161: true, 162: true, // vhangup nfsservctl names
}

// archPolicy: this architecture has no calls of its own in the filter.
func archPolicy(uint32, func(int) uint32) (uint32, bool) { return 0, false }
