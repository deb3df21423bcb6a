package ossandbox

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kernelKinds are file systems whose files are switches of the machine, or show
// its processes and devices.
var kernelKinds = []string{
	"proc", "sysfs", "devtmpfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf",
	"efivarfs", "pstore", "binfmt_misc", "nfsd", "selinuxfs", "smackfs", "resctrl", "xenfs", "devpts", "mqueue",
}

// kernelMounts lists where such file systems are mounted below dir, as in the
// root of another system that is built there. They would come into the sandbox
// with the workspace, and root could write them. root is "/" but in tests.
func kernelMounts(root, dir string) ([]string, error) {
	f, err := os.Open(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var points []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		left, right, _ := strings.Cut(lines.Text(), " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if len(l) < 5 || len(r) < 1 || !slices.Contains(kernelKinds, r[0]) {
			continue
		}
		if point := unescapeMount(l[4]); point != dir {
			if _, ok := below(dir, point); ok {
				points = append(points, point)
			}
		}
	}
	slices.Sort(points)
	outermost := points[:0]
	for _, p := range points {
		if n := len(outermost); n > 0 {
			if _, ok := below(outermost[n-1], p); ok {
				continue
			}
		}
		outermost = append(outermost, p)
	}
	return outermost, lines.Err()
}

// unescapeMount reads the octal escapes of mountinfo. proc(5).
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
