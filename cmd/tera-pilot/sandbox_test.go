package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSandboxScripts plays the texts of testdata/script/sandbox*.txtar.
func TestSandboxScripts(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil && runtime.GOOS == "linux" {
		t.Fatal("bubblewrap is not installed: the sandbox cannot be tested")
	}
	bin := built(t)
	files, err := filepath.Glob("testdata/script/sandbox*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
			e.Setenv("HOME", home)
			if err := os.MkdirAll(filepath.Join(home, "repo"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(home, "secret"), []byte("key\n"), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// TestKernelFilesInAWorkspace: whoever builds the root of another system has
// /proc and /sys mounted in it; a command must not reach the machine by them.
func TestKernelFilesInAWorkspace(t *testing.T) {
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("mounting needs root on Linux")
	}
	bin, dir := built(t), t.TempDir()
	const script = `set -e
mkdir -p "$1/w/img/sys" "$1/w/img/proc" "$1/home"
mount --bind /sys "$1/w/img/sys"
mount --bind /proc "$1/w/img/proc"
export HOME="$1/home"
cd "$1/w"
exec "$0" sandbox -- sh -c 'echo one >own; ls img/sys/* img/proc/self; test -w img/proc/sys/kernel/core_pattern && echo WRITABLE; test -w img/sys/kernel && echo WRITABLE; cat own'`
	out, err := exec.Command("unshare", "-m", "sh", "-c", script, bin, dir).CombinedOutput()
	if err != nil || strings.Contains(string(out), "WRITABLE") || strings.Contains(string(out), "status") || !strings.HasSuffix(string(out), "one\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
