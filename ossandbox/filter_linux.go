package ossandbox

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// A verdict is what the filter answers.
type verdict uint32

const (
	verdictAllow = verdict(retAllow)
	// verdictPerm is EPERM: the call exists and is refused.
	verdictPerm = verdict(retErrno | uint32(unix.EPERM))
	// verdictNoSys is ENOSYS: libraries fall back to an older call, which the
	// filter can judge by its arguments.
	verdictNoSys = verdict(retErrno | uint32(unix.ENOSYS))
)

// filterKind picks the variant of the filter.
type filterKind struct {
	trace   bool // profile debug: ptrace and its like among the command's own processes
	ownNet  bool // the command has a network namespace of its own (grades A and A-)
	unixOut bool // Landlock keeps Unix sockets of the host away (ABI 9), or a mount namespace does
}

// buildFilter writes the filter of sandbox stage for this architecture: a
// deny-list, with what is newer than this list refused as unknown.
func buildFilter(kind filterKind) ([]byte, error) {
	a := &asm{}
	a.load(offArch)
	a.emit(bpfEqual, auditArch, 1, 0)
	a.ret(uint32(verdictNoSys)) // int 0x80 and other foreign ways in
	a.load(offNumber)
	a.emit(bpfMore, highestCall, 0, 1) // x32 numbers too: they have bit 30 set
	a.ret(uint32(verdictNoSys))
	for _, r := range filterRules(kind) {
		for _, nr := range r.calls {
			if err := a.onNumber(uint32(nr), r.body); err != nil {
				return nil, err
			}
		}
	}
	a.ret(uint32(verdictAllow))
	if len(a.prog) > 4096 {
		return nil, fmt.Errorf("seccomp filter has %d instructions, the kernel takes 4096", len(a.prog))
	}
	return a.bytes(), nil
}

// A filterRule answers some system calls, by their arguments where body looks
// at them.
type filterRule struct {
	calls []int
	body  []insn
}

func filterRules(kind filterKind) []filterRule {
	rules := []filterRule{
		{unknownCalls, always(verdictNoSys)},
		{adminCalls, always(verdictPerm)},
		{archAdminCalls, always(verdictPerm)},
		{[]int{unix.SYS_CLONE}, anyBit(cloneArg, newNamespaces, verdictPerm)},
		{[]int{unix.SYS_IOCTL}, oneOf(1, badIoctls, verdictPerm)},
		{[]int{unix.SYS_PERSONALITY}, noneOf(0, []uint32{0, 0xffffffff, addrNoRandomize}, verdictPerm)},
		{[]int{unix.SYS_FCHMOD}, anyBit(1, unix.S_ISUID, verdictPerm)},
		{[]int{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_MKNODAT}, anyBit(2, unix.S_ISUID, verdictPerm)},
		{[]int{unix.SYS_OPENAT}, createBits(2, 3)},
		{[]int{unix.SYS_SOCKET}, socketRule(kind)},
		{[]int{unix.SYS_SOCKETPAIR}, noneOf(0, []uint32{unix.AF_UNIX}, verdictPerm)},
	}
	rules = append(rules, archRules...)
	if !kind.trace {
		rules = append(rules, filterRule{traceCalls, always(verdictPerm)})
	}
	return rules
}

// cloneArg is the argument of clone with the flags, on x86-64 and arm64.
const cloneArg = 0

// newNamespaces are the CLONE_NEW flags that clone takes. CLONE_NEWTIME is for
// clone3 and unshare alone; its bit is part of the exit signal here.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

const addrNoRandomize = 0x0040000 // debuggers and fuzzers turn address randomisation off

// badIoctls reach another program's terminal, the console, or a file's
// immutable and append-only flags. TIOCEXCL would keep every other program from
// a terminal that the command was handed, also after its end.
var badIoctls = []uint32{
	unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS, unix.TIOCEXCL,
	0x40086602, 0x40046602, // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS
	0x401c5820, // FS_IOC_FSSETXATTR
}

// unknownCalls answer ENOSYS. clone3 and io_uring take their arguments by
// pointer, so that no filter can judge them.
var unknownCalls = []int{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_CLONE3, unix.SYS_FILE_SETATTR,
}

// traceCalls look into another process.
var traceCalls = []int{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
}

// adminCalls change the machine, or reach around the mounts.
var adminCalls = []int{
	unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_USERFAULTFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// always is a body that answers v.
func always(v verdict) []insn { return []insn{{code: bpfRet, k: uint32(v)}} }

// answers is a body's end: yes for a jump to it, allow for the fall-through.
func answers(yes verdict) []insn {
	return []insn{{code: bpfRet, k: retAllow}, {code: bpfRet, k: uint32(yes)}}
}

// anyBit answers v when any of bits is set in argument n, else allow.
func anyBit(n int, bits uint32, v verdict) []insn {
	return slices.Concat([]insn{
		{code: bpfLoad, k: offLow(n)},
		{code: bpfBits, jt: 1, k: bits},
	}, answers(v))
}

// oneOf answers v when argument n is in list, else allow.
func oneOf(n int, list []uint32, v verdict) []insn {
	return slices.Concat(matches(n, list), answers(v))
}

// noneOf answers v when argument n is not in list, else allow.
func noneOf(n int, list []uint32, v verdict) []insn {
	return slices.Concat(matches(n, list), always(v), always(verdictAllow))
}

// matches jumps over the instruction after it when argument n is in list.
func matches(n int, list []uint32) []insn {
	b := []insn{{code: bpfLoad, k: offLow(n)}}
	for i, k := range list {
		b = append(b, insn{code: bpfEqual, jt: uint8(len(list) - i), k: k})
	}
	return b
}

// createBits refuses a setuid bit in the mode of an open that creates. Without
// O_CREAT or O_TMPFILE the mode is whatever the register held.
func createBits(flags, mode int) []insn {
	return slices.Concat([]insn{
		{code: bpfLoad, k: offLow(flags)},
		{code: bpfBits, jt: 1, k: unix.O_CREAT | oTmpfileBit},
		{code: bpfRet, k: retAllow},
	}, anyBit(mode, unix.S_ISUID, verdictPerm))
}

const oTmpfileBit = 0x400000 // __O_TMPFILE, without the O_DIRECTORY that O_TMPFILE adds

// socketRule lets Unix sockets, plain IP and route netlink through. vsock is
// not tied to the network namespace; raw and packet sockets, and families and
// protocols that load kernel modules, are no business of a build.
func socketRule(kind filterKind) []insn {
	const typeMask = 0xf // without SOCK_CLOEXEC and SOCK_NONBLOCK
	allow, deny := always(verdictAllow), always(verdictPerm)
	netlink := noneOf(2, []uint32{unix.NETLINK_ROUTE}, verdictPerm)
	inet := slices.Concat(
		[]insn{
			{code: bpfLoad, k: offLow(1)}, {code: bpfAnd, k: typeMask},
			{code: bpfEqual, jt: 2, k: unix.SOCK_STREAM}, {code: bpfEqual, jt: 1, k: unix.SOCK_DGRAM},
		}, deny,
		noneOf(2, []uint32{
			0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.IPPROTO_MPTCP,
		}, verdictPerm))
	if !kind.ownNet {
		netlink, inet = deny, deny
	}
	local := allow
	if !kind.unixOut {
		local = deny
	}
	body := []insn{{code: bpfLoad, k: offLow(0)}}
	for _, c := range []struct {
		families []uint32
		then     []insn
	}{
		{[]uint32{unix.AF_UNIX}, local},
		{[]uint32{unix.AF_NETLINK}, netlink},
		{[]uint32{unix.AF_INET, unix.AF_INET6}, inet},
	} {
		for i, f := range c.families {
			last := i == len(c.families)-1
			if last {
				body = append(body, insn{code: bpfEqual, jf: uint8(len(c.then)), k: f})
			} else {
				body = append(body, insn{code: bpfEqual, jt: uint8(len(c.families) - 1 - i), k: f})
			}
		}
		body = append(body, c.then...)
	}
	return append(body, deny...)
}
