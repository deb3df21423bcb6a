package ossandbox

import "golang.org/x/sys/unix"

const (
	auditArch   = unix.AUDIT_ARCH_AARCH64
	highestCall = unix.SYS_RSEQ_SLICE_YIELD
)

// archAdminCalls are the administrative calls with their arm64 numbers.
var archAdminCalls = []int{unix.SYS_KEXEC_FILE_LOAD}

// archRules: arm64 has only the calls that take a folder descriptor.
var archRules []filterRule
