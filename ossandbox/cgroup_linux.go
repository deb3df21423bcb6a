package ossandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A cgroupHome is where this program may make cgroups: one folder on v2, one a
// controller on v1. The zero value is nowhere.
type cgroupHome struct {
	unified string // v2
	pids    string // v1
	memory  string // v1
}

func (h cgroupHome) usable() bool { return h.unified != "" || (h.pids != "" && h.memory != "") }

// findCgroupHome looks for it without making anything. root is "/" but in tests.
func findCgroupHome(root string) cgroupHome {
	own := ownCgroups(filepath.Join(root, "proc/self/cgroup"))
	var h cgroupHome
	f, err := os.Open(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return h
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		m, ok := parseCgroupMount(sc.Text())
		if !ok {
			continue
		}
		at := func(controller string) string {
			rel, ok := below(m.root, own[controller])
			if !ok || own[controller] == "" {
				return ""
			}
			return filepath.Join(root, m.point, rel)
		}
		switch {
		case m.unified:
			if dir := at(""); dir != "" && h.unified == "" {
				h.unified = unifiedParent(dir)
			}
		case m.has("pids"):
			h.pids = writableDir(at("pids"))
		case m.has("memory"):
			h.memory = writableDir(at("memory"))
		}
	}
	return h
}

// ownCgroups maps a controller, "" for v2, to this process's path. cgroups(7).
func ownCgroups(file string) map[string]string {
	own := map[string]string{}
	b, err := os.ReadFile(file)
	if err != nil {
		return own
	}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, c := range strings.Split(f[1], ",") {
			own[c] = f[2]
		}
	}
	return own
}

type cgroupMount struct {
	root, point string
	unified     bool
	options     []string
}

func (m cgroupMount) has(controller string) bool { return slices.Contains(m.options, controller) }

// parseCgroupMount reads a line of /proc/self/mountinfo. proc(5).
func parseCgroupMount(line string) (cgroupMount, bool) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Fields(left), strings.Fields(right)
	if !ok || len(l) < 5 || len(r) < 3 {
		return cgroupMount{}, false
	}
	m := cgroupMount{root: l[3], point: l[4], unified: r[0] == "cgroup2", options: strings.Split(r[2], ",")}
	return m, m.unified || r[0] == "cgroup"
}

// unifiedParent is the folder beside or around the own cgroup in which memory
// and pids are switched on for children, and which we may write.
func unifiedParent(own string) string {
	for _, dir := range []string{own, filepath.Dir(own)} {
		b, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil {
			continue
		}
		on := strings.Fields(string(b))
		if slices.Contains(on, "memory") && slices.Contains(on, "pids") && writableDir(dir) != "" && canWrite(filepath.Join(dir, "cgroup.procs")) {
			return dir
		}
	}
	return ""
}

func canWrite(p string) bool { return syscall.Access(p, 2) == nil }

func writableDir(dir string) string {
	if dir != "" && canWrite(dir) {
		return dir
	}
	return ""
}

// A cgroup limits the processes of one command together.
type cgroup struct {
	dirs   []string
	home   cgroupHome
	memory string   // the folder with the memory controller's files
	fd     *os.File // v2: the folder, for clone into it
}

// sweep removes the cgroups of programs of ours that died: each name says whose
// it is.
func (h cgroupHome) sweep() {
	for _, parent := range []string{h.unified, h.pids, h.memory} {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() && ownerGone(e.Name()) {
				removeCgroup(filepath.Join(parent, e.Name()))
			}
		}
	}
}

// newCgroup makes one.
func newCgroup(h cgroupHome, name string, l Limits) (*cgroup, error) {
	g := &cgroup{home: h}
	tasks := strconv.Itoa(l.Processes + 3) // bubblewrap's two and the thread that starts them
	memory := strconv.FormatInt(l.Memory, 10)
	for _, c := range []struct {
		parent string
		files  map[string]string
	}{
		{h.unified, map[string]string{"pids.max": tasks, "memory.max": memory, "memory.oom.group": "1"}},
		{h.pids, map[string]string{"pids.max": tasks}},
		{h.memory, map[string]string{"memory.limit_in_bytes": memory}},
	} {
		if c.parent == "" || (h.unified != "" && c.parent != h.unified) {
			continue
		}
		dir := filepath.Join(c.parent, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(err, g.remove())
		}
		g.dirs = append(g.dirs, dir)
		g.memory = dir
		for file, value := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
				return nil, errors.Join(fmt.Errorf("cgroup limit: %w", err), g.remove())
			}
		}
	}
	if h.unified != "" {
		f, err := os.Open(g.dirs[0])
		if err != nil {
			return nil, errors.Join(err, g.remove())
		}
		g.fd = f
	}
	return g, nil
}

// join moves the calling thread into the cgroup, on v1: its children are born
// in it. (On v2 the child is born there by clone.)
func (g *cgroup) join() error {
	if g.fd != nil {
		return nil
	}
	for _, dir := range g.dirs {
		if err := os.WriteFile(filepath.Join(dir, "tasks"), []byte("0"), 0); err != nil {
			return err
		}
	}
	return nil
}

// oomKills counts the processes that the memory limit has ended so far.
func (g *cgroup) oomKills() int {
	for _, file := range []string{"memory.events", "memory.oom_control"} {
		b, err := os.ReadFile(filepath.Join(g.memory, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
				v, _ := strconv.Atoi(n)
				return v
			}
		}
	}
	return 0
}

// remove takes the folders away, the members of which have ended.
func (g *cgroup) remove() error {
	if g.fd != nil {
		g.fd.Close()
	}
	var errs []error
	for _, dir := range g.dirs {
		errs = append(errs, removeCgroup(dir))
	}
	return errors.Join(errs...)
}

// removeCgroup ends what is left in a cgroup and removes it. A process that
// was killed stays in its cgroup until it has been reaped.
func removeCgroup(dir string) error {
	var err error
	for wait := time.Millisecond; wait < time.Second; wait *= 2 {
		if err = syscall.Rmdir(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		time.Sleep(wait) // nothing tells when the last one was reaped
		killMembers(dir)
	}
	return fmt.Errorf("cgroup %s: %w", dir, err)
}

func killMembers(dir string) {
	if os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	b, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil && pid > 1 && pid != os.Getpid() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
