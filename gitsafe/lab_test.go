package gitsafe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A lab is one repository with a home folder, a folder outside, and a canary
// that appears only when something of the repository was executed.
type lab struct {
	t                           *testing.T
	dir, home, repo             string
	outside, canary, legit, bin string
	env                         []string
	opts                        Options
}

// newLab builds a repository with two commits on main and one on feature, one
// modified file and one new file.
func newLab(t *testing.T) *lab {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("these tests need git")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: dir, home: dir + "/home", repo: dir + "/repo", outside: dir + "/outside",
		canary: dir + "/CANARY", legit: dir + "/LEGIT", bin: dir + "/bin"}
	for _, d := range []string{l.home, l.repo + "/sub", l.outside, l.bin} {
		l.must(os.MkdirAll(d, 0o755))
	}
	l.write("home/.gitconfig", "[user]\n\tname = Real User\n\temail = real@example.invalid\n[init]\n\tdefaultBranch = main\n")
	l.write("outside/victim.txt", "keep me\n")
	l.env = []string{"HOME=" + l.home, "PATH=" + os.Getenv("PATH"), "LANG=C"}
	l.git("init", "-q", ".")
	l.write("repo/a.txt", "one\n")
	l.write("repo/b.txt", "bee\n")
	l.write("repo/sub/c.txt", "sea\n")
	l.commit("base")
	l.git("checkout", "-q", "-b", "feature")
	l.write("repo/f.txt", "eff\n")
	l.commit("feature work")
	l.git("checkout", "-q", "main")
	l.write("repo/d.txt", "dee\n")
	l.commit("second")
	l.write("repo/a.txt", "one\ntwo\n")
	l.write("repo/new.txt", "fresh\n")
	return l
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) path(rel string) string {
	if filepath.IsAbs(rel) {
		return rel
	}
	return filepath.Join(l.dir, rel)
}

func (l *lab) write(rel, content string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(rel)), 0o755))
	l.must(os.WriteFile(l.path(rel), []byte(content), 0o644))
}

func (l *lab) append(rel, content string) {
	l.t.Helper()
	old, _ := os.ReadFile(l.path(rel))
	l.write(rel, string(old)+content)
}

// script writes an executable shell script.
func (l *lab) script(rel, body string) string {
	l.t.Helper()
	l.write(rel, "#!/bin/sh\n"+body+"\n")
	l.must(os.Chmod(l.path(rel), 0o755))
	return l.path(rel)
}

// pwned is a shell command that makes the canary.
func (l *lab) pwned() string { return "echo pwned >>" + l.canary }

func (l *lab) read(rel string) string {
	l.t.Helper()
	b, err := os.ReadFile(l.path(rel))
	l.must(err)
	return string(b)
}

// git is plain git, for building: in repo, or in another folder with "-C".
func (l *lab) git(args ...string) string {
	l.t.Helper()
	out, err := l.try(args...)
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// safe are the options under which the building hand does not set off the
// traps that it lays.
var safe = []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.file.allow=always", "--no-pager"}

func (l *lab) try(args ...string) (string, error) {
	cmd := exec.Command("git", append(append([]string{}, safe...), args...)...)
	cmd.Dir, cmd.Env = l.repo, append(append([]string{}, l.env...), "GIT_EDITOR=:", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func (l *lab) commit(message string) {
	l.t.Helper()
	l.git("add", "-A")
	l.git("commit", "-q", "-m", message)
}

// set puts a key into the repository's own configuration.
func (l *lab) set(key, value string) {
	l.t.Helper()
	l.git("config", "--file", l.repo+"/.git/config", "--add", key, value)
}

// userSet puts a key into the person's configuration.
func (l *lab) userSet(key, value string) {
	l.t.Helper()
	l.git("config", "--file", l.home+"/.gitconfig", "--add", key, value)
}

// attributes adds lines to the attributes that no commit shows.
func (l *lab) attributes(lines string) {
	l.t.Helper()
	l.append("repo/.git/info/attributes", lines+"\n")
}

// safeGit is a Git over the lab, in its present state.
func (l *lab) safeGit() *Git {
	l.t.Helper()
	o := l.opts
	o.Home, o.Env = l.home, l.env
	if o.Runner == nil {
		o.Runner = Plain{}
	}
	g, err := New(o)
	l.must(err)
	return g
}

// in runs a call in a folder of the lab.
func (l *lab) in(rel string, args ...string) (Result, error) {
	l.t.Helper()
	c, err := Check(args)
	if err != nil {
		return Result{}, err
	}
	g := l.safeGit()
	p, err := g.Plan(context.Background(), l.path(rel), c)
	if err != nil {
		return Result{}, err
	}
	return g.Run(context.Background(), p, Streams{})
}

func (l *lab) run(args ...string) (Result, error) {
	l.t.Helper()
	return l.in(l.repo, args...)
}

// ok runs a call that must succeed, and returns what it printed.
func (l *lab) ok(args ...string) string {
	l.t.Helper()
	r, err := l.run(args...)
	if err != nil || r.Code != 0 {
		l.t.Fatalf("git %s: exit %d, %v\n%s%s", strings.Join(args, " "), r.Code, err, r.Stdout, r.Stderr)
	}
	return string(r.Stdout)
}

// refused runs a call that must be refused with these words.
func (l *lab) refused(words string, args ...string) {
	l.t.Helper()
	_, err := l.run(args...)
	var no *RefusedError
	if !errors.As(err, &no) || !strings.Contains(err.Error(), words) {
		l.t.Errorf("git %s: got %v, wanted a refusal with %q", strings.Join(args, " "), err, words)
	}
}

// unharmed checks that nothing of the repository ran, and nothing outside changed.
func (l *lab) unharmed(what string) {
	l.t.Helper()
	if b, err := os.ReadFile(l.canary); err == nil {
		l.t.Errorf("%s: something of the repository was executed: %q", what, b)
		os.Remove(l.canary)
	}
	if got := l.read("outside/victim.txt"); got != "keep me\n" {
		l.t.Errorf("%s: a file outside changed: %q", what, got)
	}
}

// version skips a test that needs a newer git.
func (l *lab) version(major, minor int) {
	l.t.Helper()
	var a, b int
	if _, err := fmt.Sscanf(l.git("version"), "git version %d.%d", &a, &b); err != nil || a < major || (a == major && b < minor) {
		l.t.Skipf("needs git %d.%d, here is %d.%d", major, minor, a, b)
	}
}

// trust agrees to one more hook or driver.
func (l *lab) trust(digest string) {
	before := l.opts.Trust
	l.opts.Trust = func(d string) bool { return d == digest || before != nil && before(d) }
}
