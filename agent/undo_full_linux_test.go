package agent

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"golang.org/x/sys/unix"
)

// smallDisk names the folder of TestUndoOnAFullDisk for its child.
const smallDisk = "TERA_PILOT_TEST_SMALL_DISK"

// TestUndoOnAFullDisk undoes in a file system of 16 MiB that is full: the file
// stays what it is, to the byte, the person is told, and the undo can be done
// when there is room. The child mounts it, in a user namespace of its own.
func TestUndoOnAFullDisk(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestUndoOnAFullDiskChild$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EINVAL) || strings.Contains(string(out), "no small disk here") {
		t.Skipf("no user namespace here: %v %s", err, out)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestUndoOnAFullDiskChild") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestUndoOnAFullDiskChild does nothing unless TestUndoOnAFullDisk starts it.
func TestUndoOnAFullDiskChild(t *testing.T) {
	dir := os.Getenv(smallDisk)
	if dir == "" {
		return
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("no small disk here: %v", err)
	}
	old := strings.Repeat("what was there before\n", 50_000) // 1.1 MB
	r := newRigAt(t, dir, []step{{Say: "I look", Calls: []call{{"read_file", map[string]any{"path": "big.txt"}}}}, {Say: "so", Calls: []call{{"write_file", map[string]any{"path": "big.txt", "content": "new\n"}}}}, {Say: "done"}}, nil)
	r.person = yes
	r.write("big.txt", old)
	r.start("")
	defer r.stop()
	if end := r.turn("go"); end.Status != "done" || r.read("big.txt") != "new\n" {
		t.Fatalf("%+v, %+v", end, r.events[len(r.events)-4:])
	}
	// What is left is enough for the logs, and not for the file.
	filler := filepath.Join(r.home, "filler")
	fill(t, filler, dir, 900<<10)
	res := r.undo(event.Undo{All: true})
	if res.Status == "ok" || r.read("big.txt") != "new\n" {
		t.Errorf("on the full disk: %s: %s; %d bytes", res.Status, res.Body, len(r.read("big.txt")))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(t, r.root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if res := r.undo(event.Undo{All: true}); res.Status != "ok" || r.read("big.txt") != old {
		t.Errorf("with room again: %s: %s", res.Status, res.Body)
	}
}

// fill writes a file until so many bytes are left on its disk.
func fill(t *testing.T, path, disk string, left uint64) {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	free := s.Bavail * uint64(s.Bsize)
	if err := os.WriteFile(path, make([]byte, free-left), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leftovers are files of ours that a write left in a folder.
func leftovers(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".tera-pilot-") {
			out = append(out, e.Name())
		}
	}
	return out
}
