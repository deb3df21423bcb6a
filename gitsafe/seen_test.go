package gitsafe

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestStashTakesEverything: git's own patterns work in a stash, and those of
// the caller are names.
func TestStashTakesEverything(t *testing.T) {
	t.Run("untracked", func(t *testing.T) {
		l := newLab(t)
		l.ok("stash", "push", "-u", "-m", "all")
		if out := l.git("status", "--porcelain"); out != "" {
			t.Errorf("left behind: %q", out)
		}
		l.ok("stash", "apply")
		if got := l.read("repo/new.txt"); got != "fresh\n" {
			t.Errorf("new.txt holds %q", got)
		}
	})
	t.Run("keep-index", func(t *testing.T) {
		l := newLab(t)
		l.git("add", "a.txt")
		l.write("repo/b.txt", "more\n")
		l.ok("stash", "push", "--keep-index")
		if out := l.git("status", "--porcelain", "-uno"); out != "M  a.txt" {
			t.Errorf("status: %q", out)
		}
	})
	t.Run("names are no patterns", func(t *testing.T) {
		l := newLab(t)
		l.write("repo/b.txt", "more\n")
		l.write("repo/[ab].txt", "odd name\n")
		l.git("add", "--", ":(literal)[ab].txt")
		l.ok("stash", "push", "--", "[ab].txt")
		if out := l.git("status", "--porcelain", "-uno"); out != " M a.txt\n M b.txt" {
			t.Errorf("status: %q", out)
		}
		for _, p := range []string{":/", ":(top)b.txt", ":!b.txt"} {
			if _, err := l.run("stash", "push", "--", p); err == nil {
				if out := l.git("status", "--porcelain", "-uno"); !strings.Contains(out, "b.txt") {
					t.Errorf("%s is read as a pattern: %q", p, out)
				}
			}
		}
	})
}

// TestIncludesAreShown: a runner that shows only what it is told to show is
// told of each file of the person's own configuration: below XDG_CONFIG_HOME,
// included, included by an included one; and of none that the agent can write.
func TestIncludesAreShown(t *testing.T) {
	l := newLab(t)
	l.must(os.Remove(l.home + "/.gitconfig"))
	l.env = append(l.env, "XDG_CONFIG_HOME="+l.dir+"/xdg")
	l.write("xdg/git/config", "[include]\n\tpath = more/one.inc\n[include]\n\tpath = ~/absent\n[include]\n\tpath = "+l.repo+"/own.inc\n")
	l.write("xdg/git/more/one.inc", "[user]\n\tname = One\n[includeIf \"gitdir:"+l.repo+"/\"]\n\tpath = ~/two.inc\n")
	l.write("home/two.inc", "[user]\n\temail = two@example.invalid\n")
	l.write("repo/own.inc", "[core]\n\tfsmonitor = "+l.pwned()+"\n")
	shown := &showing{files: []string{l.dir + "/xdg/git/config", l.dir + "/xdg/git/more/one.inc", l.home + "/two.inc", l.repo + "/own.inc"}}
	l.opts.Runner = shown
	l.ok("commit", "-a", "-m", "x")
	if got := l.git("log", "-1", "--format=%an %ae"); got != "One two@example.invalid" {
		t.Errorf("the author is %q", got)
	}
	l.unharmed("commit")
	if slices.Contains(shown.seen, l.repo+"/own.inc") {
		t.Error("a file of the repository is shown as the person's")
	}
}

// showing is a Runner that hides the files that it is not told to show.
type showing struct {
	files []string
	seen  []string
}

// Run implements Runner.
func (s *showing) Run(ctx context.Context, in Invocation) (ExitStatus, error) {
	s.seen = append(s.seen, in.Readable...)
	for _, f := range s.files {
		if slices.Contains(in.Readable, f) {
			continue
		}
		if err := os.Rename(f, f+".hidden"); err != nil {
			return ExitStatus{}, err
		}
		defer os.Rename(f+".hidden", f)
	}
	return Plain{}.Run(ctx, in)
}
