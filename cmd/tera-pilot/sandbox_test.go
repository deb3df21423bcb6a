package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
