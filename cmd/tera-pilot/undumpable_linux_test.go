package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestOurMemoryIsOurs: while a session can run, the kernel does not count our
// memory, which holds its keys, as that of the user: no other program of his
// reads it or attaches to it, and no core is written.
func TestOurMemoryIsOurs(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "tera-undumpable-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	uid, who := os.Geteuid(), &syscall.SysProcAttr{}
	if uid == 0 { // to root everything belongs anyway
		uid, who.Credential = 12345, &syscall.Credential{Uid: 12345, Gid: 12345}
		if err := os.Chown(dir, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "tera-pilot")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		argv []string
		ours bool
	}{{[]string{"cat"}, false}, {[]string{bin, "acp"}, true}} {
		cmd := exec.Command(c.argv[0], c.argv[1:]...)
		cmd.Env, cmd.Dir, cmd.SysProcAttr = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, dir, who
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, fmt.Sprintf("%s: memory of the user: not %v", c.argv[0], c.ours), func() bool {
			info, err := os.Stat(fmt.Sprintf("/proc/%d/mem", cmd.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			return (int(info.Sys().(*syscall.Stat_t).Uid) == uid) != c.ours
		})
		_ = in.Close() // both end with their input
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", c.argv[0], err)
		}
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}
