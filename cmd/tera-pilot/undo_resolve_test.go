package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// clashed is a folder in which an agent wrote gen.txt, and the person after it.
type clashed struct {
	t          *testing.T
	base, repo string
	env        []string
}

func newClashed(t *testing.T) *clashed {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &clashed{t: t, base: base, repo: filepath.Join(base, "repo")}
	for name, text := range map[string]string{
		"repo/gen.txt": "one\nold\nthree\n",
		"editor":       "#!/bin/sh\ngrep -q '^<<<<<<< what is there now' \"$1\" && printf 'one\\nboth\\nthree\\n' > \"$1\"\n",
		"turn.json":    `{"steps":[{"calls":[{"tool":"execute_command","args":{"command":"sed -i s/old/agent/ gen.txt; echo x > other.txt"}}]},{"say":"over"}]}`,
	} {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.env = []string{"HOME=" + base, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "EDITOR=" + filepath.Join(base, "editor"), "TMPDIR=" + base}
	c.run(exitOK, "run", "--no-confirm", "--provider", "scripted", "--script", filepath.Join(base, "turn.json"), "go")
	c.write("one\nmine\nthree\n")
	return c
}

func (c *clashed) cmd(args ...string) *exec.Cmd {
	cmd := exec.Command(built(c.t), args...)
	cmd.Dir, cmd.Env = c.repo, c.env
	return cmd
}

// run runs the program without a terminal.
func (c *clashed) run(want int, args ...string) string {
	c.t.Helper()
	var out bytes.Buffer
	cmd := c.cmd(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		c.t.Errorf("%v: exit %d, want %d\n%s", args, code, want, out.String())
	}
	return out.String()
}

func (c *clashed) write(text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.repo, "gen.txt"), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clashed) is(want, after string) {
	c.t.Helper()
	if b, err := os.ReadFile(filepath.Join(c.repo, "gen.txt")); err != nil || string(b) != want {
		c.t.Errorf("after %s: %q, %v", after, b, err)
	}
	if _, err := os.Stat(filepath.Join(c.repo, "other.txt")); err != nil {
		c.t.Errorf("after %s another file of the turn is gone", after)
	}
}

// TestConflictsByHand: what resolves a conflict is said by --dry-run; without a
// terminal only what was looked at is replaced; every way back is open.
func TestConflictsByHand(t *testing.T) {
	const mine, old = "one\nmine\nthree\n", "one\nold\nthree\n"
	c := newClashed(t)
	shown := c.run(exitFailed, "undo", "--dry-run")
	for _, want := range []string{"conflict in gen.txt", "- mine", "+ old", "undo --edit gen.txt"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if n := strings.Count(shown, "conflict"); n != 1 {
		t.Errorf("the conflict is said %d times in\n%s", n, shown)
	}
	now := regexp.MustCompile(`undo --old gen.txt --now ([0-9a-f]+)\n`).FindStringSubmatch(shown)
	if now == nil {
		t.Fatalf("no way to take the old one in\n%s", shown)
	}
	for _, args := range [][]string{
		{"--old", "gen.txt"}, {"--keep", "gen.txt"}, {"--edit", "gen.txt"}, {"--old", "other.txt", "--now", now[1]}, {"--now", now[1]}, {"--old", "gen.txt", "--keep", "gen.txt"},
		{"--list", "--old", "gen.txt"}, {"--json", "--dry-run", "--old", "gen.txt"}, {"--turn", "1", "--old", "gen.txt", "--edit", "gen.txt", "--now", now[1]},
	} {
		c.run(exitUsage, append([]string{"undo"}, args...)...)
	}
	c.run(exitFailed, "undo", "--old", "gen.txt", "--now", strings.Repeat("0", 32))
	c.run(exitFailed, "undo", "--path", "gen.txt")
	c.run(exitFailed, "undo", "--old", "../gen.txt", "--now", now[1])
	if out := c.run(exitOK, "undo", "--old", "gen.txt", "--now", now[1], "--dry-run"); !strings.Contains(out, "+ old") {
		t.Errorf("nothing shown:\n%s", out)
	}
	c.is(mine, "what does nothing")
	back := func(out string) {
		t.Helper()
		id := regexp.MustCompile(`undo --call (\S+)`).FindStringSubmatch(out)
		if id == nil {
			t.Fatalf("no way back in\n%s", out)
		}
		c.run(exitOK, "undo", "--call", id[1])
		c.is(mine, "the way back")
	}
	out := c.run(exitOK, "undo", "--keep", "gen.txt", "--now", now[1])
	c.is(mine, "keeping")
	back(out)
	out = c.run(exitOK, "undo", "--old", "gen.txt", "--now", now[1])
	c.is(old, "taking the old one")
	back(out)
	c.write("one\nmine, later\nthree\n")
	c.run(exitFailed, "undo", "--old", "gen.txt", "--now", now[1])
	c.is("one\nmine, later\nthree\n", "a word on what was there before")
	c.run(exitOK, "audit", "verify")
}

// TestConflictsAtTheTerminal: by the flag with an editor, and on the screen.
func TestConflictsAtTheTerminal(t *testing.T) {
	c := newClashed(t)
	const mine, both = "one\nmine\nthree\n", "one\nboth\nthree\n"
	for _, a := range []struct{ answer, want string }{{"y", mine}, {"yes", both}} {
		p := termtest.Start(t, c.cmd("undo", "--edit", "gen.txt"), 100, 30)
		p.WaitFor("Type yes")
		if text := p.Text(); !strings.Contains(text, "+ both") {
			t.Errorf("it is not shown what would be written:\n%s", text)
		}
		p.Type(a.answer)
		p.Key("enter")
		code := p.WaitExit()
		if (code == exitOK) != (a.want == both) {
			t.Errorf("%s: exit %d\n%s", a.answer, code, p.Text())
		}
		c.is(a.want, "the answer "+a.answer)
	}
	c.run(exitOK, "undo", "--call", strings.Fields(c.run(exitOK, "undo", "--list"))[0])
	c.is(mine, "the way back")
	p := termtest.Start(t, c.cmd("--continue", "--provider", "scripted", "--script", filepath.Join(c.base, "turn.json")), 100, 30)
	p.WaitFor("enter send")
	p.Key("ctrl+z")
	p.WaitFor("1 conflict")
	p.Key("end")
	p.Key("c")
	p.WaitFor("what taking the old one would do")
	p.Key("o")
	p.WaitFor("you chose take what stood there before the agent")
	p.WaitFor("ARMED")
	p.Key("a")
	p.WaitFor("taken back")
	c.is("one\nold\nthree\n", "the key o and a yes")
	p.Key("esc")
	p.WaitFor("enter send")
	p.Key("ctrl+d")
	if code := p.WaitExit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}
