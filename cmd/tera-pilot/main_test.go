package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binary builds the program once for all tests of this package.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tera-pilot-test-")
	if err != nil {
		return "", err
	}
	// A normal user runs it too, in the sandbox's tests.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "tera-pilot")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
})

// TestMain lets the test program stand in for the built one where a test needs
// an internet of its own: tera-pilot.test program ARGS…
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asProgram {
		os.Exit(run(context.Background(), process{
			args: os.Args[2:], env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, egress: smallInternet(),
		}))
	}
	code := m.Run()
	if bin, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin)) // a leftover of a test is no failure
	}
	os.Exit(code)
}

// built is the program, built for the tests.
func built(t testing.TB) string {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
