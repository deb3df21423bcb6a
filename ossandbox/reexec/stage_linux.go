package reexec

import (
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have. Those above 424 are the same on
// every architecture.
const (
	sysLandlockCreate   = 444
	sysLandlockAddRule  = 445
	sysLandlockRestrict = 446
	sysCloseRange       = 436

	closeRangeCloexec = 4
	prSetDumpable     = 4
	prCapbsetDrop     = 24
	prSetNoNewPrivs   = 38
	prCapAmbient      = 47
	prCapAmbientClear = 4
	prSetSeccomp      = 22
	seccompFilter     = 2
	capVersion3       = 0x20080522
	oPath             = 0x200000
)

// stage takes the process over. It runs on the main thread, to which package
// initialisation is locked, and restricts that thread alone: execve keeps the
// calling thread's restrictions and ends all others.
func stage(mode string) {
	switch mode {
	case ModeCommand:
		command()
	case ModeGuard:
		guard()
	case ModeRelay:
		relay()
	}
}

func command() {
	if _, err := syscall.Write(FDStatus, []byte{StatusReached}); err != nil {
		return // nobody waits for this command any more
	}
	s, ok := readSpec()
	if !ok {
		fail("the description of the command is damaged", 0)
	}
	// The real stderr from here on; the sandbox's own is closed.
	if err := syscall.Dup3(FDStderr, 2, 0); err != nil {
		fail("stderr", err.(syscall.Errno))
	}
	_, _, e := syscall.RawSyscall(sysCloseRange, 3, 1<<32-1, closeRangeCloexec)
	must("closing descriptors", e)
	syscall.Umask(int(s.Umask))
	if err := syscall.Chdir(s.Dir); err != nil {
		fail("working folder "+s.Dir, err.(syscall.Errno))
	}
	for _, c := range s.Checks {
		identify(c)
	}
	if !s.Plain {
		confine(&s)
	}
	become(s.Argv, s.Env)
}

func identify(c Identity) {
	var st syscall.Stat_t
	if err := syscall.Lstat(c.Path, &st); err != nil {
		fail(c.Path, err.(syscall.Errno))
	}
	if uint64(st.Dev) != c.Dev || st.Ino != c.Ino {
		fail(c.Path+" was swapped for something else while the sandbox was made", 0)
	}
}

// confine gives up, for good, all that the command must not have.
func confine(s *Spec) {
	must("dumpable", prctl(prSetDumpable, 0))
	must("no_new_privs", prctl(prSetNoNewPrivs, 1))
	if s.Relay.Port != 0 {
		startRelay(s.Relay)
	}
	for _, r := range s.Rlimits {
		setLimit(r)
	}
	capabilities(s.DropCaps)
	landlock(&s.Landlock)
	seccomp(s.Seccomp)
}

func prctl(option, value uintptr) syscall.Errno {
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0)
	return e
}

func must(what string, e syscall.Errno) {
	if e != 0 {
		fail(what, e)
	}
}

// fail says why on the status pipe and ends the stage.
func fail(what string, e syscall.Errno) {
	if e != 0 {
		what += ": " + e.Error()
	}
	report(StatusFailed, what)
}

func report(status byte, text string) {
	syscall.Write(FDStatus, append([]byte{status}, text...))
	syscall.Exit(ExitSetup)
}

func readSpec() (Spec, bool) {
	var b []byte
	buf := make([]byte, 64<<10)
	for off := int64(0); ; off = int64(len(b)) {
		n, err := syscall.Pread(FDSpec, buf, off)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Spec{}, false
		}
		if n == 0 {
			return Decode(b)
		}
		b = append(b, buf[:n]...)
	}
}

// setLimit lowers a limit. One that is already lower stays.
func setLimit(r Rlimit) {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(int(r.Resource), &now); err != nil {
		fail("reading a limit", err.(syscall.Errno))
	}
	want := syscall.Rlimit{Cur: min(now.Max, r.Value), Max: min(now.Max, r.Value)}
	if err := syscall.Setrlimit(int(r.Resource), &want); err != nil {
		fail("setting a limit", err.(syscall.Errno))
	}
}

// capabilities makes sure that none is left, and that none can come back by
// executing a file as uid 0.
func capabilities(drop bool) {
	if drop {
		for c := uintptr(0); ; c++ {
			e := prctl(prCapbsetDrop, c)
			if e == syscall.EINVAL {
				break // past the kernel's last one
			}
			if e == syscall.EPERM {
				break // not privileged: there is nothing to give up
			}
			must("capability bounding set", e)
		}
		if e := prctl(prCapAmbient, prCapAmbientClear); e != 0 && e != syscall.EINVAL {
			fail("ambient capabilities", e)
		}
	}
	head := struct {
		version uint32
		pid     int32
	}{version: capVersion3}
	var data [6]uint32 // effective, permitted, inheritable; low and high words
	if drop {
		_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data)), 0)
		must("capset", e)
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data)), 0)
	must("capget", e)
	if data != [6]uint32{} {
		fail("capabilities are left", 0)
	}
}

type rulesetAttr struct{ fs, net, scope uint64 }

// pathBeneath is packed in C: the descriptor stands right after the rights.
type pathBeneath struct {
	access uint64
	fd     int32
}

const (
	rulePath = 1
	rulePort = 2
)

func landlock(l *Landlock) {
	if l.FS == 0 {
		return
	}
	attr := rulesetAttr{l.FS, l.Net, l.Scope}
	size := unsafe.Sizeof(attr)
	if l.Scope == 0 {
		size -= 8 // kernels before ABI 6 know the shorter form
		if l.Net == 0 {
			size -= 8 // and before ABI 4 the shortest
		}
	}
	fd, _, e := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	must("landlock ruleset", e)
	for _, r := range l.Rules {
		allowPath(fd, r)
	}
	for _, r := range l.Ports {
		must("landlock port", ruleCall(fd, rulePort, unsafe.Pointer(&r)))
	}
	for stream := int32(0); stream < 3 && l.Streams != 0; stream++ {
		// EBADFD: pipes and sockets have no place in the tree and need no rule.
		// EINVAL: a folder cannot be written.
		p := pathBeneath{l.Streams, stream}
		if e := ruleCall(fd, rulePath, unsafe.Pointer(&p)); e != 0 && e != syscall.EBADFD && e != syscall.EINVAL && e != syscall.EBADF {
			fail("landlock stream", e)
		}
	}
	_, _, e = syscall.RawSyscall(sysLandlockRestrict, fd, 0, 0)
	must("landlock", e)
}

func ruleCall(fd uintptr, kind uintptr, p unsafe.Pointer) syscall.Errno {
	_, _, e := syscall.RawSyscall6(sysLandlockAddRule, fd, kind, uintptr(p), 0, 0, 0)
	return e
}

// fileRights are those that make sense for something that is not a folder:
// execute, write, read, truncate, ioctl, resolve a socket.
const fileRights = 1<<0 | 1<<1 | 1<<2 | 1<<14 | 1<<15 | 1<<16

func allowPath(ruleset uintptr, r PathRule) {
	fd, err := syscall.Open(r.Path, oPath|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.EACCES {
		return // what is not there needs no right
	}
	if err != nil {
		fail("landlock path "+r.Path, err.(syscall.Errno))
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		fail("landlock path "+r.Path, err.(syscall.Errno))
	}
	p := pathBeneath{r.Access, int32(fd)}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		p.access &= fileRights
	}
	must("landlock path "+r.Path, ruleCall(ruleset, rulePath, unsafe.Pointer(&p)))
	syscall.Close(fd)
}

func seccomp(program []byte) {
	if len(program) == 0 {
		return
	}
	prog := struct {
		len    uint16
		filter *byte
	}{uint16(len(program) / 8), &program[0]}
	_, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSetSeccomp, seccompFilter, uintptr(unsafe.Pointer(&prog)))
	must("seccomp", e)
}

// become executes the command, found as execvp(3) finds it.
func become(argv, env []string) {
	if len(argv) == 0 {
		fail("no command", 0)
	}
	name := argv[0]
	denied := syscall.Errno(0)
	for _, path := range candidates(name, env) {
		err := syscall.Exec(path, argv, env)
		if err == syscall.ENOEXEC { // a script without an interpreter line
			err = syscall.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), env)
		}
		switch err {
		case syscall.ENOENT, syscall.ENOTDIR:
		case syscall.EACCES:
			denied = syscall.EACCES
		default:
			report(StatusNoExec, err.Error())
		}
	}
	if denied != 0 {
		report(StatusNoExec, denied.Error())
	}
	report(StatusNotFound, name)
}

// candidates are the paths that name may stand for.
func candidates(name string, env []string) (paths []string) {
	for i := range name {
		if name[i] == '/' {
			return []string{name}
		}
	}
	if name == "" {
		return nil
	}
	path := ""
	for _, v := range env {
		if len(v) > 5 && v[:5] == "PATH=" {
			path = v[5:]
		}
	}
	for start, i := 0, 0; i <= len(path); i++ {
		if i == len(path) || path[i] == ':' {
			if i > start {
				paths = append(paths, path[start:i]+"/"+name)
			}
			start = i + 1
		}
	}
	return paths
}
