package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// What was typed or pasted before a question stands in the terminal answers
// nothing: a line to be pasted can bring its own yes along.
func TestTypedAheadAnswersNothing(t *testing.T) {
	g := newGuarded(t)
	f := newFolders(t, `{}`)
	hook := filepath.Join(f.repo, ".git", "hooks", "pre-commit")
	env := []string{"HOME=" + f.home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = f.repo, env
		return cmd
	}
	if out, err := run("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := run(built(t), "mcp", "add", "issues", "--url", g.server.URL+"/mcp").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		asks string
		args []string
	}{
		{"Go on? Type yes:", []string{"mcp", "login", "issues"}},
		{"let it run? [y/N]", []string{"git", "trust", "add", "pre-commit"}},
	} {
		p := termtest.Start(t, run(built(t), c.args...), 100, 40)
		p.Type("yes\ryes\r") // long before it asks
		p.WaitFor(c.asks)
		p.Type("no\r")
		if code := p.WaitExit(); code == exitOK {
			t.Errorf("%v: the yes that was there before counted:\n%s", c.args, p.Text())
		}
	}
	if n := g.given; n > 0 {
		t.Errorf("%d tokens", n)
	}
}
