package ossandbox

import "golang.org/x/sys/unix"

const (
	auditArch   = unix.AUDIT_ARCH_X86_64
	highestCall = unix.SYS_RSEQ_SLICE_YIELD
)

// archAdminCalls are the administrative calls that arm64 does not have.
var archAdminCalls = []int{
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT,
	unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE, unix.SYS_USELIB, unix.SYS__SYSCTL,
}

// archRules are for the older names of calls that arm64 never had.
var archRules = []filterRule{
	{[]int{unix.SYS_CHMOD, unix.SYS_CREAT, unix.SYS_MKNOD}, anyBit(1, unix.S_ISUID, verdictPerm)},
	{[]int{unix.SYS_OPEN}, createBits(1, 2)},
}
