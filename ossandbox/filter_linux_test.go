package ossandbox

import (
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// call is struct seccomp_data: what the kernel shows a filter.
type call struct {
	nr, arch uint32
	args     [6]uint64
}

func (c *call) word(at uint32) (uint32, bool) {
	switch {
	case at == 0:
		return c.nr, true
	case at == 4:
		return c.arch, true
	case at >= 16 && at < 64 && at%4 == 0:
		return uint32(c.args[(at-16)/8] >> (at % 8 * 8)), true
	default:
		return 0, false
	}
}

type decoded struct {
	code    uint16
	yes, no int
	k       uint32
}

// decode reads struct sock_filter.
func decode(t *testing.T, prog []byte) (l []decoded) {
	if len(prog)%8 != 0 || len(prog)/8 > 4096 {
		t.Fatalf("program of %d bytes", len(prog))
	}
	for ; len(prog) > 0; prog = prog[8:] {
		l = append(l, decoded{binary.LittleEndian.Uint16(prog), int(prog[2]), int(prog[3]), binary.LittleEndian.Uint32(prog[4:])})
	}
	return l
}

// interpret runs a program as the kernel does: a small, separate reading of
// the instruction set, so that it shares no mistake with the assembler.
func interpret(prog []decoded, c *call) (uint32, error) {
	var a uint32
	for pc := 0; pc < len(prog); pc++ {
		i := &prog[pc]
		k := i.k
		jump := func(yes bool) {
			if yes {
				pc += i.yes
			} else {
				pc += i.no
			}
		}
		switch i.code {
		case 0x20: // ld [k]
			v, ok := c.word(k)
			if !ok {
				return 0, fmt.Errorf("instruction %d loads from %d", pc, k)
			}
			a = v
		case 0x54: // and #k
			a &= k
		case 0x15: // jeq
			jump(a == k)
		case 0x25: // jgt
			jump(a > k)
		case 0x45: // jset
			jump(a&k != 0)
		case 0x06: // ret
			return k, nil
		default:
			return 0, fmt.Errorf("instruction %d has code %#x", pc, i.code)
		}
	}
	return 0, fmt.Errorf("the program ran off its end")
}

const (
	allowed = 0x7fff0000
	eperm   = 0x00050001
	enosys  = 0x00050026
)

// corners are argument values that a filter could misread: the interesting
// low words, alone and below high bits that the kernel ignores.
func corners() (l []uint64) {
	low := []uint64{0, 1, 2, 3, 4, 5, 10, 11, 16, 17, 38, 40, 0xf, 0x40, 0x80, 0o777, 0o2755, 0o4755, 0o6755, 0x241, 0x80241,
		unix.CLONE_NEWUSER, unix.CLONE_NEWNS | 17, 0x01200011, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS, unix.TIOCEXCL,
		0x40086602, 0x80086601, 0x401c5820, addrNoRandomize, 0x7fffffff, 0x80000000, 0xffffffff}
	for _, high := range []uint64{0, 1 << 32, 0xffffffff << 32, 1 << 63} {
		for _, v := range low {
			l = append(l, high|v)
		}
	}
	return l
}

// TestFilterOverAllCalls runs the program over every number and the corners of
// each argument, against a plain statement of the policy.
func TestFilterOverAllCalls(t *testing.T) {
	for _, kind := range []filterKind{
		{ownNet: true, unixOut: true},
		{ownNet: true, unixOut: true, trace: true},
		{},
		{unixOut: true},
	} {
		program, err := buildFilter(kind)
		if err != nil {
			t.Fatal(err)
		}
		prog := decode(t, program)
		bad := 0
		check := func(c call) {
			got, err := interpret(prog, &c)
			if err != nil {
				t.Fatal(err)
			}
			if want := policy(kind, c); got != want && bad < 20 {
				bad++
				t.Errorf("%+v: call %d args %#x: got %#x, want %#x", kind, c.nr, c.args, got, want)
			}
		}
		values := corners()
		for nr := uint32(0); nr < 600; nr++ {
			check(call{nr: nr, arch: auditArch})
			for arg := range 4 {
				for _, v := range values {
					c := call{nr: nr, arch: auditArch}
					c.args[arg] = v
					check(c)
				}
			}
		}
		for _, nr := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_OPENAT} { // several arguments together
			for _, x := range values {
				for _, y := range values {
					for _, z := range []uint64{0, 1, 6, 17, 132, 262, 0o4755, 1<<32 | 0o4755} {
						check(call{nr, auditArch, [6]uint64{x, y, z, z}})
						check(call{nr, auditArch, [6]uint64{0, x, y, z}})
					}
				}
			}
		}
		for _, nr := range []uint32{0x40000000, 0x40000000 + unix.SYS_PTRACE, 0x7fffffff, 0xffffffff} {
			check(call{nr: nr, arch: auditArch})
		}
		for _, arch := range []uint32{0, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, 0xffffffff, ^uint32(auditArch)} {
			for nr := range uint32(500) {
				check(call{nr: nr, arch: arch})
			}
		}
	}
}

// policy is the filter in plain words.
func policy(kind filterKind, c call) uint32 {
	low := func(n int) uint32 { return uint32(c.args[n]) }
	deny := func(bad bool) uint32 {
		if bad {
			return eperm
		}
		return allowed
	}
	if c.arch != auditArch || c.nr > highestCall {
		return enosys
	}
	switch int(c.nr) {
	case unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3, unix.SYS_FILE_SETATTR:
		return enosys
	case unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV:
		return deny(!kind.trace)
	case unix.SYS_CLONE:
		return deny(low(0)&0x7e020000 != 0)
	case unix.SYS_IOCTL:
		switch low(1) {
		case 0x5412, 0x541c, 0x5423, 0x541d, 0x540c, 0x40086602, 0x40046602, 0x401c5820:
			return eperm
		}
		return allowed
	case unix.SYS_PERSONALITY:
		return deny(low(0) != 0 && low(0) != 0xffffffff && low(0) != 0x40000)
	case unix.SYS_FCHMOD:
		return deny(low(1)&0o4000 != 0)
	case unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_MKNODAT:
		return deny(low(2)&0o4000 != 0)
	case unix.SYS_OPENAT:
		return deny(low(2)&0x400040 != 0 && low(3)&0o4000 != 0)
	case unix.SYS_SOCKETPAIR:
		return deny(low(0) != 1)
	case unix.SYS_SOCKET:
		return deny(!socketAllowed(kind, low(0), low(1), low(2)))
	}
	if v, ok := archPolicy(c.nr, low); ok {
		return v
	}
	return deny(administrative[int(c.nr)])
}

func socketAllowed(kind filterKind, family, typ, proto uint32) bool {
	switch family {
	case 1:
		return kind.unixOut
	case 2, 10:
		plain := typ&0xf == 1 || typ&0xf == 2
		known := proto == 0 || proto == 1 || proto == 6 || proto == 17 || proto == 58 || proto == 262
		return kind.ownNet && plain && known
	case 16:
		return kind.ownNet && proto == 0
	}
	return false
}
