package ossandbox

import (
	"encoding/binary"
	"fmt"
)

// The kernel's classic BPF, as far as a seccomp filter uses it: struct
// sock_filter of linux/filter.h, over struct seccomp_data of linux/seccomp.h.
const (
	bpfLoad  = 0x20 // BPF_LD | BPF_W | BPF_ABS: a word of seccomp_data
	bpfEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	bpfMore  = 0x25 // BPF_JMP | BPF_JGT | BPF_K
	bpfBits  = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	bpfAnd   = 0x54 // BPF_ALU | BPF_AND | BPF_K
	bpfRet   = 0x06 // BPF_RET | BPF_K

	offNumber = 0 // seccomp_data.nr
	offArch   = 4 // seccomp_data.arch

	retAllow = 0x7fff0000
	retErrno = 0x00050000
)

// offLow is the offset of the low 32 bits of argument n. Every architecture
// that we build for is little-endian. Arguments that the kernel takes as int
// are compared by these bits alone: the kernel ignores the others, so a filter
// that looked at them could be passed by setting one (CVE-2019-10063).
func offLow(n int) uint32 { return 16 + 8*uint32(n) }

type insn struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// asm is a filter being written. Rules are written one after another; each
// either returns or falls through to the next.
type asm struct{ prog []insn }

func (a *asm) emit(code uint16, k uint32, jt, jf uint8) {
	a.prog = append(a.prog, insn{code, jt, jf, k})
}

func (a *asm) ret(k uint32)   { a.emit(bpfRet, k, 0, 0) }
func (a *asm) load(at uint32) { a.emit(bpfLoad, at, 0, 0) }

// onNumber writes body so that it is run for system call nr only. body must
// return on every path. The number is loaded when the next rule begins.
func (a *asm) onNumber(nr uint32, body []insn) error {
	if len(body) > 255 {
		return fmt.Errorf("rule for system call %d has %d instructions, 255 can be jumped over", nr, len(body))
	}
	a.emit(bpfEqual, nr, 0, uint8(len(body)))
	a.prog = append(a.prog, body...)
	return nil
}

// bytes is the program as the kernel takes it.
func (a *asm) bytes() []byte {
	b := make([]byte, 0, 8*len(a.prog))
	for _, i := range a.prog {
		b = binary.LittleEndian.AppendUint16(b, i.code)
		b = append(b, i.jt, i.jf)
		b = binary.LittleEndian.AppendUint32(b, i.k)
	}
	return b
}
