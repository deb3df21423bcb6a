package ossandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What a command must not be able to do to the repository, whether the parts
// are there or not. Each script tries, and the tree is judged from outside.
func TestRepositoryStaysHarmless(t *testing.T) {
	b := newBox(t)
	config, err := os.ReadFile(b.work + "/.git/config")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"mkdir .git/hooks; echo x > .git/hooks/pre-commit",
		"mv .git aside; cp -a aside .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
		"mv .git/hooks x; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
		"rmdir .git/hooks; mkdir .git/hooks && echo x > .git/hooks/pre-commit",
		"ln -s /tmp .git/hooks; rm -rf .git; git init -q",
		"git config core.hooksPath /tmp; git config --worktree core.fsmonitor x",
		"echo '[core] fsmonitor = x' > .git/config; echo '[core] fsmonitor = x' > c; mv c .git/config; cp c .git/config; ln -f c .git/config",
		"echo '[core] fsmonitor = x' > .git/config.worktree; rm .git/config; rm .git/config.worktree",
		"mkdir evil; cp -a .git/* evil/; echo ../evil > .git/commondir",
	} {
		gitInit(t, b.work)
		os.RemoveAll(b.work + "/.git/hooks") // as with an empty template
		b.sh(script)
		if hooks, _ := filepath.Glob(b.work + "/.git/hooks/*"); len(hooks) > 0 {
			t.Errorf("%s: hooks %v", script, hooks)
		}
		if got, _ := os.ReadFile(b.work + "/.git/config"); string(got) != string(config) {
			t.Errorf("%s: the configuration is now\n%s", script, got)
		}
		for _, f := range []string{"/.git/commondir", "/.git/config.worktree", "/.git/hooks"} {
			if exists(b.work + f) {
				t.Errorf("%s: %s is there", script, f)
			}
		}
		os.RemoveAll(b.work + "/evil")
	}
}

func TestLinkedWorktree(t *testing.T) {
	b := newBox(t)
	side := filepath.Join(b.home, "code/side")
	git(t, b.work, "worktree", "add", "-q", side, "-b", "side")
	git(t, b.work, "config", "user.name", "T")
	git(t, b.work, "config", "user.email", "t@example.invalid")
	b.cfg.Root = side
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	main := b.work
	b.Sandbox = s
	out, r := b.sh("set -e; git status --short; echo new > new; git add new; git commit -qm inside; git log --format=%s -1; ls " + main + " 2>/dev/null || true")
	if r.ExitCode != 0 {
		t.Fatal(out)
	}
	has(t, out, "inside\n")
	lacks(t, out, "README")
	if got := git(t, side, "log", "--format=%s", "-1"); got != "inside\n" {
		t.Error(got)
	}
	before := tree(t, main+"/.git")
	b.sh("echo x > " + main + "/.git/hooks/pre-commit; echo x >> " + main + "/.git/config; echo gitdir: /tmp > .git; echo /tmp > " + main + "/.git/worktrees/side/gitdir; echo /tmp > " + main + "/.git/worktrees/side/commondir")
	if after := tree(t, main+"/.git"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	git(t, side, "status")
}

func TestPointersThatDoNotPointBack(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(b.home, "code/other")
	b.write(other+"/f", "x")
	gitInit(t, other)
	thief := filepath.Join(b.home, "code/thief")
	for _, pointer := range []string{
		"gitdir: " + other + "/.git\n",
		"gitdir: ../other/.git",
		"gitdir: " + b.home + "\n",
		"gitdir: \n", "nothing", "gitdir: /nowhere",
		"gitdir: " + other + "/.git\x00",
	} {
		b.write(thief+"/.git", pointer)
		b.cfg.Root = thief
		s, err := New(t.Context(), b.cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Run(t.Context(), Command{Script: "true", Profile: Work()})
		asError[*SetupError](t, err)
		s.Close()
	}
}

func TestSubmodule(t *testing.T) {
	b := newBox(t)
	lib := filepath.Join(b.home, "lib")
	b.write(lib+"/f", "x")
	gitInit(t, lib)
	git(t, b.work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "sub")
	git(t, b.work, "-c", "user.name=T", "-c", "user.email=t@e.invalid", "commit", "-qm", "sub")
	before := tree(t, b.work)
	// (mv would go on to copy and delete: rename is the trick that matters.)
	b.sh(`echo x > .git/modules/sub/hooks/pre-commit; echo x >> .git/modules/sub/config; echo gitdir: /tmp > sub/.git; rm sub/.git
python3 - <<X
import os
for a, b in ("sub", "gone"), (".git/modules", "m"), (".git/modules/sub", "m"), (".git", "m"), ("sub/.git", "m"), (".git/modules/sub/hooks", "m"):
    try: os.rename(a, b); print("renamed", a)
    except OSError as e: pass
X`)
	if after := tree(t, b.work); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	// The submodule as a workspace of its own.
	b.cfg.Root = b.work + "/sub"
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	out, r := b.sh("git log --format=%s -1 && touch new && git add new && git status --short")
	if r.ExitCode != 0 || out != "one\nA  new\n" {
		t.Errorf("%q %+v", out, r)
	}
}

func TestRepositoryInsideTheWorkspace(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/inner/f", "x")
	gitInit(t, b.work+"/inner")
	before := tree(t, b.work)
	out, _ := b.sh(`echo x > inner/.git/hooks/pre-commit; echo x >> inner/.git/config
python3 -c 'import os; os.rename("inner/.git", "gone")'; python3 -c 'import os; os.rename("inner", "gone")'; cd inner && git status --short && echo fine`)
	if after := tree(t, b.work); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	has(t, out, "fine")
}

func TestPathsThatTheConfigurationNames(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/tools/hooks/pre-commit", "exit 0")
	b.write(b.work+"/shared.gitconfig", "[alias]\n")
	git(t, b.work, "config", "core.hooksPath", "tools/hooks")
	git(t, b.work, "config", "include.path", "../shared.gitconfig")
	before := tree(t, b.work)
	out, _ := b.sh("echo x > tools/hooks/pre-commit; echo x > tools/hooks/pre-push; echo x > shared.gitconfig; mv tools gone; echo x > tools/fine")
	os.Remove(b.work + "/tools/fine")
	if after := tree(t, b.work); after != before || strings.Count(out, "Read-only") != 3 {
		t.Errorf("%s\nbefore:\n%s\nafter:\n%s", out, before, after)
	}
}

// What a git that is run by hand later would believe is covered where it is
// there, and told where it appears, whatever it is called.
func TestRepositoriesInDisguise(t *testing.T) {
	bare := "mkdir -p $D/objects $D/refs && echo 'ref: refs/heads/main' > $D/HEAD && echo '[core] fsmonitor = x' > $D/config"
	b := newBox(t)
	for _, dir := range []string{"store/objects", "store/refs", "store/hooks"} {
		if err := os.MkdirAll(filepath.Join(b.work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.write(b.work+"/store/HEAD", "ref: refs/heads/main\n")
	b.write(b.work+"/store/config", "[core]\n")
	out, r := b.sh("D=plain; " + bare + "; echo x > store/hooks/post-checkout; echo x >> store/config; mv store s2; exit 3")
	has(t, out, "store/hooks/post-checkout: Read-only file system")
	has(t, out, "store/config: Read-only file system")
	if b, _ := os.ReadFile(b.work + "/store/config"); string(b) != "[core]\n" {
		t.Errorf("store/config holds %q", b)
	}
	if !slices.ContainsFunc(r.Quarantine, func(f Finding) bool { return f.Path == b.work+"/plain" && f.What == "a new repository" }) {
		t.Errorf("%+v", r.Quarantine)
	}
	_, r = b.sh("mkdir -p .git/rebase-merge; printf 'pick 1\\nexec touch /x\\n' > .git/rebase-merge/git-rebase-todo")
	if !slices.ContainsFunc(r.Quarantine, func(f Finding) bool { return strings.Contains(f.What, "a rebase waits") }) {
		t.Errorf("%+v", r.Quarantine)
	}
	if _, r = b.sh("true"); len(r.Quarantine) > 0 {
		t.Errorf("told again: %+v", r.Quarantine)
	}
}

// A list of a rebase is read as git reads it, and in every place where one of
// the repository can wait.
func TestRebasesThatWait(t *testing.T) {
	for line, runs := range map[string]bool{
		"exec touch x": true, "exec\ttouch x": true, " \tx\ttouch x": true, "x touch x": true, "exec": true, "exec touch x\r": true,
		"# exec touch x": false, "pick 1 exec": false, "execute": false, "": false,
	} {
		todo := filepath.Join(t.TempDir(), "todo")
		if err := os.WriteFile(todo, []byte("pick 1\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := rebaseRuns(todo); got != runs {
			t.Errorf("%q: %v", line, got)
		}
	}
	pipe := filepath.Join(t.TempDir(), "todo")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if !rebaseRuns(pipe) || rebaseRuns(pipe+"-none") {
		t.Error("a list that is a pipe is not told, or one that is not there is")
	}
	for _, dir := range []string{".git", ".git/worktrees/other", ".git/modules/a/b", ".git/modules/a/b/modules/c"} {
		b := newBox(t)
		_, r := b.sh("for d in .git/modules/a/b .git/modules/a/b/modules/c; do mkdir -p $d; echo x > $d/HEAD; done; mkdir -p " + dir + "/rebase-merge; printf 'exec\\tid\\n' > " + dir + "/rebase-merge/git-rebase-todo")
		if !slices.ContainsFunc(r.Quarantine, func(f Finding) bool {
			return f.Path == filepath.Join(b.work, dir, rebaseTodo) && strings.Contains(f.What, "a rebase waits")
		}) {
			t.Errorf("%s: %+v", dir, r.Quarantine)
		}
	}
}

// Git in a command knows the person as git outside does: with the files that
// the settings include, and those below XDG_CONFIG_HOME, but for what carries a
// credential and what lies in the workspace.
func TestGitSettingsOfThePerson(t *testing.T) {
	b := newBox(t, func(c *Config) {
		home := c.Home
		c.Env = append(c.Env, "XDG_CONFIG_HOME="+home+"/xdg")
		for path, text := range map[string]string{
			home + "/.gitconfig":         "[include]\n\tpath = ~/conf/one.inc\n[include]\n\tpath = " + c.Root + "/own.inc\n[include]\n\tpath = ~/.ssh/id_ed25519\n",
			home + "/conf/one.inc":       "[includeIf \"gitdir:" + c.Root + "/\"]\n\tpath = two.inc\n[github]\n\ttoken = the-token\n",
			home + "/conf/two.inc":       "[user]\n\temail = two@example.invalid\n",
			home + "/xdg/git/config":     "[user]\n\tname = Xdg\n",
			home + "/.config/git/config": "[user]\n\tname = Other\n",
		} {
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	out, _ := b.sh("git config user.name; git config user.email; cat ~/conf/*; cat ~/.ssh/*")
	has(t, out, "Xdg\ntwo@example.invalid\n")
	lacks(t, out, "the-token")
	lacks(t, out, "the-ssh-key")
}
