package ossandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKernelMounts(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc", "self"), 0o755); err != nil {
		t.Fatal(err)
	}
	const lines = `21 1 0:20 / /proc rw - proc proc rw
22 1 0:21 / /w/img/proc rw,nosuid shared:5 - proc proc rw
23 22 0:22 / /w/img/proc/sys/fs/binfmt_misc rw - binfmt_misc none rw
24 1 0:23 / /w/an\040image/sys rw - sysfs sysfs rw
25 1 0:24 / /w/data rw - ext4 /dev/sda1 rw
26 1 0:25 / /ws/proc rw - proc proc rw
27 1 0:26 /sub /w/dev rw master:2 - devtmpfs udev rw
28 1 0:27
`
	if err := os.WriteFile(filepath.Join(root, "proc", "self", "mountinfo"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := kernelMounts(root, "/w")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/w/an image/sys", "/w/dev", "/w/img/proc"}, got); diff != "" {
		t.Error(diff)
	}
}
