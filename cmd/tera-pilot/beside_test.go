package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBesideARunningCommand: while a command runs, the sandbox keeps the names
// of settings that are not there closed with empty folders. Nothing that looks
// at the project takes them for settings, neither then nor after the program
// was killed with the command, and the next start removes them.
func TestBesideARunningCommand(t *testing.T) {
	h := newHurt(t)
	script := h.put(h.home, "slow.json", calls(slow))
	first := exec.Command(built(t), "run", "--no-confirm", "--script", script, "x")
	first.Dir, first.Env = h.repo, h.env
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	h.waitFor("begun")
	closed := func() int {
		n := 0
		for _, name := range []string{".mcp.json", ".envrc", ".vscode"} {
			if _, err := os.Lstat(filepath.Join(h.repo, name)); err == nil {
				n++
			}
		}
		return n
	}
	look := func(when string) {
		for _, args := range [][]string{{"mcp", "list"}, {"doctor"}} {
			cmd := exec.Command(built(t), args...)
			cmd.Dir, cmd.Env = h.repo, h.env
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), ".mcp.json") {
				t.Errorf("%s, %v: %v\n%s", when, args, err, out)
			}
		}
	}
	again := func(when string) {
		cmd := exec.Command(built(t), "run", "--json", "--script", h.put(h.home, "list.json", calls(`{"tool": "list_files", "args": {"directory": "."}}`, `{"tool": "glob", "args": {"pattern": "**"}}`)), "y")
		cmd.Dir, cmd.Env = h.repo, h.env
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "begun") || strings.Contains(string(out), ".vscode") {
			t.Errorf("%s: %v\n%s", when, err, out)
		}
	}
	look("beside it")
	again("beside it")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	again("after the crash")
	if n := closed(); n != 0 {
		t.Errorf("%d of the folders are left", n)
	}
}
