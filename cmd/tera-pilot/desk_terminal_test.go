package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui/arm"
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

// TestToAnotherFolder is a person who finds a session by what was said in it,
// goes to it, which is in another folder, is asked about that folder's own
// settings as if the program were started there, says no, and comes back.
func TestToAnotherFolder(t *testing.T) {
	bin, home, dir := built(t), t.TempDir(), t.TempDir()
	write := func(file, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	script := write(filepath.Join(dir, "turns.json"), `{"steps": [{"say": "the quokka is in the first"}, {"say": "and nothing"}]}`)
	first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
	for _, d := range []string{first, second} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := bin + " --provider scripted --script " + script
	m := termtest.NewTmux(t, 100, 30, []string{"HOME=" + home}, "sh", "-c",
		"cd "+first+" && "+bin+" run --provider scripted --script "+script+" look; mkdir -p .tera_pilot; printf '"+`[[host]]\nhost = "api.example.org"\ndecision = "allow"\n`+"' > .tera_pilot/policy.toml; cd "+second+" && "+run+"; echo EXIT $?; sleep 60")
	m.WaitFor("You are in")
	m.Keys("C-s")
	m.WaitFor("in first")
	m.Keys("/")
	m.Type("quokka")
	m.WaitFor("turn 1  pilot: the quokka is in the first")
	m.Keys("Enter")
	m.WaitFor("your word:")
	m.WaitFor("api.example.org")
	m.Keys("Enter")
	m.WaitFor("resumed")
	m.WaitFor("the quokka is in the first")
	m.Keys("C-s")
	m.WaitFor("this one")
	m.Keys("Escape")
	m.WaitFor("enter send")
	m.Keys("C-d")
	m.WaitFor("EXIT 0")
}

// TestASessionThatDoesNotOpen leads back to the one before it, which says why.
func TestASessionThatDoesNotOpen(t *testing.T) {
	bin, home, dir := built(t), t.TempDir(), t.TempDir()
	script := filepath.Join(dir, "turns.json")
	if err := os.WriteFile(script, []byte(`{"steps": [{"say": "an answer"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
	for _, d := range []string{first, second} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := termtest.NewTmux(t, 100, 30, []string{"HOME=" + home}, "sh", "-c",
		"cd "+first+" && "+bin+" run --provider scripted --script "+script+" look; cd "+second+" && "+bin+" --provider scripted --script "+script+"; echo EXIT $?; sleep 60")
	m.WaitFor("You are in")
	m.Keys("C-s")
	m.WaitFor("in first")
	if err := os.RemoveAll(first); err != nil { // while the list is open
		t.Fatal(err)
	}
	m.Keys("Down", "Enter", "a", "h", "e", "a", "d", "Enter") // what is typed at once is for the session that does not open
	m.WaitFor("that session was not opened")
	m.WaitFor("enter send")
	if text := m.Text(); strings.Contains(text, "> ahead") || strings.Contains(text, "you   ahead") {
		t.Errorf("what was typed for another session is here:\n%s", text)
	}
	time.Sleep(2 * arm.Quiet) // it hears again after a pause
	m.Keys("C-d")
	m.WaitFor("EXIT 0")
}
