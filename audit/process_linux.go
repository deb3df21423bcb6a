package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// procfs knows processes by /proc.
type procfs struct{}

func (procfs) self() (process, error) {
	pid := int64(os.Getpid())
	start, err := startTime(pid)
	if err != nil {
		return process{}, fmt.Errorf("the start time of our own process is not readable, so a crash could not be told from a running session: %w", err)
	}
	boot, err := bootID()
	return process{pid, start, boot}, err
}

// bootID names the boot of the kernel and our pid namespace.
func bootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("the boot id is not readable: %w", err)
	}
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return strings.TrimSpace(string(b)), nil
	}
	return strings.TrimSpace(string(b)) + " " + ns, nil
}

// startTime is field 22 of /proc/PID/stat: clock ticks since boot (proc(5)).
// The name of the command, field 2, may hold anything, also parentheses.
func startTime(pid int64) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 20 {
		return 0, errors.New("/proc/PID/stat has too few fields")
	}
	return strconv.ParseInt(string(fields[19]), 10, 64)
}

// gone errs on the side of "still there": a process in another pid namespace
// of the same boot cannot be looked at from here.
func (procfs) gone(p process) bool {
	now, err := bootID()
	if err != nil {
		return false
	}
	boot, ns, _ := strings.Cut(now, " ")
	thatBoot, thatNS, _ := strings.Cut(p.boot, " ")
	if boot != thatBoot {
		return true
	}
	if ns != thatNS {
		return false
	}
	start, err := startTime(p.pid)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && start != p.start
}
