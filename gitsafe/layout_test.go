package gitsafe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFind(t *testing.T) {
	l := newLab(t)
	l.git("worktree", "add", "-q", l.dir+"/wt", "feature")
	laySubmodule(func(*lab, string) {})(l)
	l.must(os.Symlink(l.repo+"/sub", l.dir+"/link"))
	l.must(os.MkdirAll(l.repo+"/sub/litter/.git", 0o755)) // an empty folder, as sandboxes leave behind
	l.git("init", "-q", "--bare", l.repo+"/docs/kit")
	for _, c := range []struct{ dir, top, kind string }{
		{"repo", "repo", "plain"},
		{"repo/sub", "repo", "plain"},
		{"repo/sub/litter", "repo", "plain"},
		{"repo/docs/kit", "repo", "plain"},
		{"repo/docs/kit/refs", "repo", "plain"},
		{"link", "repo", "plain"},
		{"wt", "wt", "worktree"},
		{"repo/vendor/lib", "repo/vendor/lib", "submodule"},
	} {
		repo, err := Find(l.path(c.dir))
		if err != nil || repo.Top != l.path(c.top) || repo.Kind != c.kind {
			t.Errorf("Find(%s) = %+v, %v; want %s, %s", c.dir, repo, err, c.top, c.kind)
		}
	}
	var none *NotRepositoryError
	if _, err := TopLevel(l.outside); !errors.As(err, &none) {
		t.Errorf("outside of a repository: %v", err)
	}
	if top, err := TopLevel(l.repo + "/sub"); err != nil || top != l.repo {
		t.Errorf("TopLevel = %q, %v", top, err)
	}
}

// TestHostileLayout: each is refused, whatever the call, and changes nothing.
func TestHostileLayout(t *testing.T) {
	for name, lay := range map[string]func(*lab){
		"linked .git": func(l *lab) {
			l.must(os.Rename(l.repo+"/.git", l.dir+"/elsewhere"))
			l.must(os.Symlink(l.dir+"/elsewhere", l.repo+"/.git"))
		},
		".git file to a tracked folder": func(l *lab) {
			l.must(os.Rename(l.repo+"/.git", l.repo+"/store"))
			l.write("repo/.git", "gitdir: store\n")
		},
		".git file to somebody else's repository": func(l *lab) {
			l.git("init", "-q", l.dir+"/other")
			l.must(os.RemoveAll(l.repo + "/.git"))
			l.write("repo/.git", "gitdir: "+l.dir+"/other/.git\n")
		},
		"worktree that does not point back": func(l *lab) {
			l.git("worktree", "add", "-q", l.dir+"/wt", "feature")
			l.must(os.RemoveAll(l.repo + "/.git-old"))
			l.must(os.MkdirAll(l.dir+"/thief", 0o755))
			l.write("thief/.git", l.read("wt/.git"))
			l.repo = l.dir + "/thief"
		},
		"worktree of a tracked repository": func(l *lab) {
			l.must(os.Rename(l.repo+"/.git", l.repo+"/kit"))
			l.write("repo/kit/worktrees/w/HEAD", "ref: refs/heads/main\n")
			l.write("repo/kit/worktrees/w/commondir", "../..\n")
			l.write("repo/kit/worktrees/w/gitdir", "../../../.git\n")
			l.write("repo/.git", "gitdir: kit/worktrees/w\n")
		},
		"configuration of another folder":    func(l *lab) { l.write("repo/.git/commondir", "../sub\n") },
		"working tree elsewhere":             func(l *lab) { l.set("core.worktree", l.outside) },
		"working tree elsewhere, relative":   func(l *lab) { l.set("core.worktree", "../../outside") },
		"working tree elsewhere, by include": func(l *lab) { l.write("repo/.git/w", "[core]\nworktree=../..\n"); l.set("include.path", "w") },
		"linked HEAD":                        link("HEAD"),
		"linked index":                       link("index"),
		"linked configuration":               link("config"),
		"linked branch":                      link("refs/heads/main"),
		"linked log":                         link("logs/HEAD"),
		"linked log folder":                  link("logs/refs"),
		"linked objects":                     link("objects/pack"),
		"linked message":                     link("COMMIT_EDITMSG"),
		"link that leads nowhere":            func(l *lab) { l.must(os.Symlink(l.outside+"/new", l.repo+"/.git/ORIG_HEAD")) },
		"second name of a log":               func(l *lab) { l.must(os.Link(l.repo+"/.git/logs/HEAD", l.outside+"/log")) },
		"second name of a message":           func(l *lab) { l.must(os.Link(l.outside+"/victim.txt", l.repo+"/.git/MERGE_MSG")) },
		"pipe in the git directory":          func(l *lab) { l.must(syscall.Mkfifo(l.repo+"/.git/packed-refs", 0o600)) },
		"pipe as .git":                       func(l *lab) { l.must(os.RemoveAll(l.repo + "/.git")); l.must(syscall.Mkfifo(l.repo+"/.git", 0o600)) },
		"pipe as .gitignore":                 func(l *lab) { l.must(syscall.Mkfifo(l.repo+"/.gitignore", 0o600)) },
		"pipe as .gitattributes":             func(l *lab) { l.must(syscall.Mkfifo(l.repo+"/.gitattributes", 0o600)) },
		"pipe as alternates":                 func(l *lab) { l.must(syscall.Mkfifo(l.repo+"/.git/objects/info/alternates", 0o600)) },
		"links in the folder of LFS":         func(l *lab) { l.must(os.Symlink(l.outside, l.repo+"/.git/lfs")) },
		"format of a newer git":              func(l *lab) { l.set("core.repositoryFormatVersion", "99") },
		"extension of a newer git": func(l *lab) {
			l.git("config", "core.repositoryFormatVersion", "1")
			l.set("extensions.tomorrow", "true")
		},
		"settings that cannot be listed":      func(l *lab) { l.append("repo/.git/config", "[core\n") },
		"settings that include a folder away": func(l *lab) { l.set("include.path", l.dir+"/home") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			lay(l)
			before := tree(l, l.outside)
			for _, args := range []string{"status", "commit -a -m x", "checkout -- .", "reset --hard", "stash -u", "clean -fdx", "add -A"} {
				_, err := l.run(strings.Fields(args)...)
				var no *RefusedError
				if !errors.As(err, &no) {
					t.Errorf("git %s: %v, wanted a refusal", args, err)
				} else if strings.Contains(err.Error(), "\n") {
					t.Errorf("the refusal has more than one line: %q", err)
				}
			}
			if now := tree(l, l.outside); now != before {
				t.Errorf("outside changed:\n%s\nwas\n%s", now, before)
			}
		})
	}
}

// link moves a file of the git directory outside, and links to it.
func link(name string) func(*lab) {
	return func(l *lab) {
		from, to := l.repo+"/.git/"+name, l.outside+"/moved"
		l.must(os.Rename(from, to))
		l.must(os.Symlink(to, from))
	}
}

// tree is every file below a folder with its content.
func tree(l *lab, dir string) string {
	var b strings.Builder
	l.must(filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b.WriteString(p + " " + l.read(p) + "\n")
		}
		return err
	}))
	return b.String()
}

func TestSubmoduleIndexLink(t *testing.T) {
	l := newLab(t)
	laySubmodule(func(l *lab, sm string) {
		l.must(os.Rename(sm+"/index", l.outside+"/index"))
		l.must(os.Symlink(l.outside+"/index", sm+"/index"))
	})(l)
	before := l.read("outside/index")
	l.refused("is a link", "add", "-u")
	if l.read("outside/index") != before {
		t.Error("the file outside was written")
	}
}

// TestVisible: what the repository says stands in one printable line.
func TestVisible(t *testing.T) {
	l := newLab(t)
	l.set("hook.pre-commit.x", "y")
	l.set("core.worktree", "/x\x1b[2J\u202e\ny")
	_, err := l.run("status")
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\n\u202e") {
		t.Errorf("%q", err)
	}
	l.git("config", "--unset", "core.worktree")
	l.git("config", "--remove-section", "hook.pre-commit")
	l.script("repo/h\x1b[2J/pre-commit", "exit")
	l.set("core.hooksPath", "h\x1b[2J")
	r, err := l.run("commit", "-a", "-m", "x")
	if err != nil || len(r.Notes) != 1 || strings.ContainsAny(r.Notes[0], "\x1b\n") {
		t.Errorf("%v %q", err, r.Notes)
	}
}

// TestSubmoduleList: the list of submodules is no way out, either.
func TestSubmoduleList(t *testing.T) {
	l := newLab(t)
	laySubmodule(func(l *lab, _ string) {
		l.must(os.Rename(l.repo+"/.gitmodules", l.outside+"/gitconfig"))
		l.must(os.Symlink(l.outside+"/gitconfig", l.repo+"/.gitmodules"))
	})(l)
	before := l.read("outside/gitconfig")
	for _, args := range []string{"mv vendor/lib vendor/x", "rm -f vendor/lib", "rm a.txt"} {
		_, _ = l.run(strings.Fields(args)...)
		if l.read("outside/gitconfig") != before {
			t.Errorf("git %s wrote outside", args)
		}
	}
}

// TestWorktree: a linked worktree and a submodule are places to work in.
func TestWorktree(t *testing.T) {
	l := newLab(t)
	l.git("worktree", "add", "-q", l.dir+"/wt", "feature")
	l.write("wt/f.txt", "changed\n")
	for _, args := range [][]string{{"add", "f.txt"}, {"commit", "-m", "in the worktree"}, {"status"}, {"checkout", "-b", "other"}} {
		if r, err := l.in("wt", args...); err != nil || r.Code != 0 {
			t.Fatalf("git %v: %v %s", args, err, r.Stderr)
		}
	}
	if got := l.git("log", "-1", "--format=%s|%an", "feature"); got != "in the worktree|Real User" {
		t.Errorf("the commit is %q", got)
	}
	laySubmodule(func(*lab, string) {})(l)
	if r, err := l.in("repo/vendor/lib", "commit", "-a", "-m", "in the submodule"); err != nil || r.Code != 0 {
		t.Fatalf("submodule: %v %s", err, r.Stderr)
	}
}

func TestRoot(t *testing.T) {
	l := newLab(t)
	l.opts.Root = l.repo + "/sub"
	g := l.safeGit()
	c, _ := Check([]string{"add", "c.txt"})
	p, err := g.Plan(t.Context(), l.repo+"/sub", c)
	if err != nil || !p.Repo.AboveRoot || len(p.Outside) == 0 {
		t.Errorf("a repository above the workspace: %+v, %v", p.Outside, err)
	}
	if _, err := g.Plan(t.Context(), l.repo, c); err == nil {
		t.Error("a folder above the workspace is accepted")
	}
	up, _ := Check([]string{"-C", "..", "status"})
	if _, err := g.Plan(t.Context(), l.repo+"/sub", up); err == nil {
		t.Error("-C leads out of the workspace")
	}
	l.git("init", "-q", l.home)
	l.must(os.MkdirAll(l.home+"/ws", 0o755))
	l.opts.Root = l.home + "/ws"
	var none *NotRepositoryError
	if _, err := l.safeGit().Plan(t.Context(), l.home+"/ws", c); !errors.As(err, &none) {
		t.Errorf("the home folder is taken for the repository: %v", err)
	}
}

func FuzzParsePointer(f *testing.F) {
	for _, s := range []string{"gitdir: ../x\n", "gitdir: /a/b\r\n", "gitdir: ", "gitdir: a\nb", "x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path, err := ParsePointer(content)
		if err != nil {
			if path != "" {
				t.Errorf("%q comes back with an error", path)
			}
			return
		}
		if strings.ContainsAny(path, "\x00\n\r") || path == "" || !strings.HasPrefix(string(content), "gitdir: "+path) {
			t.Errorf("%q of %q", path, content)
		}
	})
}
