package ossandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// A process is named by its number and its start time, in clock ticks since
// boot: numbers are used again. proc(5), field 22.
func startTime(pid int) (string, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The second field, the name, may hold blanks and parentheses.
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	f := strings.Fields(rest)
	if !ok || len(f) < 20 {
		return "", false
	}
	return f[19], true
}

var ownStart = sync.OnceValue(func() string {
	t, _ := startTime(os.Getpid())
	return t
})

var cgroupCount atomic.Int64

const cgroupPrefix = "tera-pilot."

// cgroupName is a name that says whose cgroup it is.
func cgroupName() string {
	return fmt.Sprintf("%s%d.%s.%d", cgroupPrefix, os.Getpid(), ownStart(), cgroupCount.Add(1))
}

// ownerGone says whether the program that made the cgroup has ended. A name
// that is not one of ours has an owner.
func ownerGone(name string) bool {
	f := strings.Split(strings.TrimPrefix(name, cgroupPrefix), ".")
	if !strings.HasPrefix(name, cgroupPrefix) || len(f) != 3 {
		return false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil {
		return false
	}
	start, alive := startTime(pid)
	return !alive || start != f[1]
}
