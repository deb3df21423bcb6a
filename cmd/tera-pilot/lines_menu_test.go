package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// TestTheMenuOfTheLinesMode: a number answers it, nothing else does; a pipe is
// told what to do instead.
func TestTheMenuOfTheLinesMode(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(base, "turns.json")
	for _, dir := range []string{"first", "second", "nothing"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(script, []byte(`{"steps": [{"say": "an answer"}, {"say": "another"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := func(dir string, args ...string) *exec.Cmd {
		c := exec.Command(built(t), args...)
		c.Dir, c.Env = filepath.Join(base, dir), []string{"HOME=" + base, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "TMPDIR=" + base}
		return c
	}
	model := []string{"--provider", "scripted", "--script", script}
	for _, dir := range []string{"first", "second"} {
		if out, err := cmd(dir, append([]string{"run"}, append(model, "said in "+dir)...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := cmd("first", append([]string{"--lines"}, model...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "tera-pilot run") {
		t.Errorf("a pipe: %v\n%s", err, out)
	}
	talk := func(dir string, args []string, f func(say, see func(string))) {
		t.Helper()
		p := termtest.Start(t, cmd(dir, args...), 100, 40)
		f(func(text string) { p.Type(text); p.Key("enter") }, p.WaitFor)
		if code := p.WaitExit(); code != exitOK {
			t.Errorf("%s: exit %d\n%s", dir, code, p.Text())
		}
	}
	talk("first", model, func(say, see func(string)) {
		see("1  A new session here")
		see("2  Go on with the last one: said in first")
		see("0  leave")
		say("")
		say("new")
		see(`"new" is no number from 0 to 4`)
		say("9")
		see(`"9" is no number from 0 to 4`)
		say("2")
		see("you: said in first")
		say("/quit")
	})
	talk("first", model, func(say, see func(string)) {
		see("4  Another folder")
		say("4")
		see("an empty line goes back")
		say("../none")
		see("no such folder")
		say("4")
		say("../second")
		see("Go on with the last one: said in second")
		say("3")
		see("said in first")
		see("0  back")
		say("0")
		say("1")
		see("session: ")
		say("/quit")
	})
	talk("second", append([]string{"--continue"}, model...), func(say, see func(string)) { // no menu: it is said already
		see("you: said in second")
		say("/quit")
	})
	talk("nothing", nil, func(say, see func(string)) { // no model: the start screen
		see("No model is configured yet")
		see("Another folder")
		say("2")
		see("type a number and enter")
		say("0")
	})
}
