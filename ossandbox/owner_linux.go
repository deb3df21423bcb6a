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

// ownedPrefix begins the names of cgroups, proxies' folders and copies.
const ownedPrefix = "tera-pilot."

// ownedCount is one for the process: the sandboxes of a program make what they
// name side by side, and no two may take one name.
var ownedCount atomic.Int64

// ownedName is a new name that says which process the thing belongs to.
func ownedName() string { return ownedAs(ownedCount.Add(1)) }

func ownedAs(n int64) string {
	return fmt.Sprintf("%s%d.%s.%d", ownedPrefix, os.Getpid(), ownStart(), n)
}

// ownerGone says whether the program that made the thing of that name has ended.
// A name that is not one of ours has an owner.
func ownerGone(name string) bool {
	f := strings.Split(strings.TrimPrefix(name, ownedPrefix), ".")
	if !strings.HasPrefix(name, ownedPrefix) || len(f) != 3 {
		return false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil {
		return false
	}
	start, alive := startTime(pid)
	return !alive || start != f[1]
}
