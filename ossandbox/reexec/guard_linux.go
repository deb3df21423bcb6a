package reexec

import (
	"syscall"
	"unsafe"
)

// ModeGuard is the value of Trigger for the stage that stands over a command
// where there is no PID namespace: it starts the command's own stage, adopts
// its orphans, and ends when none of them is left.
const ModeGuard = "guard"

// Descriptors of the guard, beside those of the stage that it starts.
const (
	FDLifeline = 3 // a pipe whose other end closes when our program dies
	FDExe      = 7 // the program's own binary
	FDInfo     = 8 // where the guard writes the number of the command's process
)

const prSetChildSubreaper = 36

func guard() {
	must("subreaper", prctl(prSetChildSubreaper, 1))
	must("dumpable", prctl(prSetDumpable, 0))
	child, err := syscall.ForkExec("/proc/self/fd/7", []string{"tera-pilot"}, &syscall.ProcAttr{
		Env: []string{Trigger + "=" + ModeCommand},
		// 3 stays closed, and 7 and 8 are not handed on.
		Files: []uintptr{0, 1, 2, ^uintptr(0), FDStatus, FDStderr, FDSpec},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		fail("the command's stage", err.(syscall.Errno))
	}
	syscall.Write(FDInfo, append(append([]byte(`{"child-pid":`), decimal(child)...), '}'))
	for _, fd := range []int{FDStatus, FDStderr, FDSpec, FDExe, FDInfo} {
		syscall.Close(fd)
	}
	go func() {
		var b [1]byte
		for {
			n, err := syscall.Read(FDLifeline, b[:])
			if err != syscall.EINTR && n <= 0 {
				break
			}
		}
		for { // our program has died; wait4 below ends us
			killChildren()
		}
	}()
	syscall.Exit(watchOver(child))
}

// watchOver waits for the command, then ends whatever it has left behind. The
// status is the command's, or 128 and the signal that it died of.
func watchOver(child int) (status int) {
	for over := false; ; {
		var w syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &w, 0, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return status
		case pid == child:
			over = true
			status = w.ExitStatus()
			if w.Signaled() {
				status = 128 + int(w.Signal())
			}
		}
		if over {
			killChildren()
		}
	}
}

// killChildren kills the processes whose parent we are. Their own children
// become ours then.
func killChildren() {
	self := decimal(syscall.Getpid())
	buf := make([]byte, 16<<10)
	fd, err := syscall.Open("/proc/self/task/"+string(self)+"/children", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	n, _ := syscall.Read(fd, buf)
	syscall.Close(fd)
	for pid, i := 0, 0; i < n; i++ {
		if c := buf[i]; c >= '0' && c <= '9' {
			pid = pid*10 + int(c-'0')
		} else if pid > 1 {
			syscall.Kill(pid, syscall.SIGKILL)
			pid = 0
		}
	}
	pause()
}

// pause lets other threads run for a millisecond.
func pause() {
	ts := syscall.Timespec{Nsec: 1e6}
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func decimal(n int) []byte {
	if n < 10 {
		return []byte{byte('0' + n)}
	}
	return append(decimal(n/10), byte('0'+n%10))
}
