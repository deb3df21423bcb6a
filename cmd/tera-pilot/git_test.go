package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestGitScripts plays the texts of testdata/script/git*.txtar.
func TestGitScripts(t *testing.T) {
	bin := built(t)
	files, err := filepath.Glob("testdata/script/git*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{Files: files, Setup: func(e *testscript.Env) error {
		e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
		e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
		return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
	}})
}

// TestGitSuite runs the hostile repositories through the program, as it is
// typed. It takes about a minute.
func TestGitSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a minute")
	}
	for _, tool := range []string{"python3", "bash", "git", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the suite needs %s", tool)
		}
	}
	suite, err := filepath.Abs("../../testdata/suites/git")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", filepath.Join(suite, "run.py"))
	cmd.Env = append(os.Environ(), "GIT_CMD="+built(t)+" git", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || !strings.HasSuffix(lines[len(lines)-1], " passed, 0 failed") {
		t.Fatalf("%v\n%s", err, out)
	}
	passed := strings.Count("\n"+string(out), "\nPASS ")
	skipped := strings.Count("\n"+string(out), "\nSKIP ")
	if passed+skipped < 48 {
		t.Errorf("only %d cases ran and %d were skipped:\n%s", passed, skipped, out)
	}
	t.Log(lines[len(lines)-1])
}
