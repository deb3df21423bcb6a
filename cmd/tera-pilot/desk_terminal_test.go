package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// TestFromSessionToSession is a person at the real program: writes in an
// editor, begins another session, finds again what was said in the first,
// goes back to it and forks it.
func TestFromSessionToSession(t *testing.T) {
	bin, home, dir := built(t), t.TempDir(), t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	script := write("turns.json", `{"steps": [{"say": "the first answer"}, {"say": "the second answer"}, {"say": "the third answer"}]}`, 0o600)
	ed := write("ed", "#!/bin/sh\necho written elsewhere > \"$1\"\n", 0o700)
	repo := filepath.Join(home, "repo")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	m := termtest.NewTmux(t, 100, 30, []string{"HOME=" + home, "EDITOR=" + ed, "VISUAL="},
		"sh", "-c", "cd "+repo+" && "+bin+" --provider scripted --script "+script+"; echo EXIT $?; sleep 60")
	m.WaitFor("You are in")
	m.Keys("C-o")
	m.WaitFor("> written elsewhere")
	m.Keys("Enter")
	m.WaitFor("the first answer")
	m.WaitFor("enter send")

	m.Keys("C-s")
	m.WaitFor("this one")
	m.Keys("+")
	m.WaitFor("You are in")
	m.Keys("Up")
	m.WaitFor("> written elsewhere")
	m.Keys("C-u", "C-s")
	m.WaitFor("written elsewhere ")
	m.Keys("Enter")
	m.WaitFor("resumed")
	m.WaitFor("the first answer")
	m.Keys("C-s")
	m.WaitFor("this one")
	m.Keys("f")
	m.WaitFor("enter send")
	m.Keys("C-s")
	m.WaitFor("'- turn 1")
	m.Keys("Escape")
	m.WaitFor("enter send")
	m.Keys("C-d")
	m.WaitFor("EXIT 0")
}
