package ossandbox

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

func TestProtectedNames(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.vscode/settings.json", "{}")
	b.write(b.work+"/.github/workflows/ci.yml", "on: push")
	b.write(b.work+"/AGENTS.md", "be good")
	git(t, b.work, "add", "-A")
	before := tree(t, b.work)
	for _, n := range slices.Concat(protectedNames, protectedFiles) {
		out, r := b.sh(strings.ReplaceAll("echo x > N/f; echo x > N; rm -rf N; mv N away; mkdir N; ln -s /tmp N; mv .github away; [ ! -e away ]", "N", n))
		if slices.Contains(protectedFiles, n) && !exists(b.work+"/"+n) {
			t.Errorf("%s is gone\n%s", n, out)
		}
		for _, f := range r.Quarantine {
			if strings.HasPrefix(f.Path, b.work+"/"+n) {
				os.RemoveAll(f.Path) // files that were not there are told of
			}
		}
	}
	// What was there, and what stands in, is untouched.
	for _, n := range []string{".vscode/settings.json", ".github/workflows/ci.yml", "AGENTS.md"} {
		if !strings.Contains(tree(t, b.work), n+" ") {
			t.Errorf("%s is gone", n)
		}
	}
	for _, n := range protectedNames {
		if n != ".vscode" && exists(b.work+"/"+n) {
			t.Errorf("%s appeared", n)
		}
	}
	_ = before
}

func TestProtectedFilesThatAppearAreTold(t *testing.T) {
	b := newBox(t)
	_, r := b.sh("echo x > CLAUDE.md; mkdir -p .github/workflows; git init -q inner")
	var told []string
	for _, f := range r.Quarantine {
		rel, _ := filepath.Rel(b.work, f.Path)
		told = append(told, rel)
	}
	slices.Sort(told)
	if want := []string{".github/workflows", "CLAUDE.md", "inner/.git"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	if _, r := b.sh("true"); len(r.Quarantine) > 0 {
		t.Errorf("told again: %v", r.Quarantine)
	}
}

func TestNoLitter(t *testing.T) {
	b := newBox(t)
	before := tree(t, b.home)
	for _, p := range []Profile{Observe(), Work(), Debug()} {
		if _, r := b.sh("true", func(c *Command) { c.Profile = p }); len(r.Litter) > 0 {
			t.Error(r.Litter)
		}
		if got := git(t, b.work, "status", "--porcelain", "--ignored"); got != "" {
			t.Errorf("%v: git status:\n%s", p, got)
		}
	}
	if out, _ := b.sh("git status --porcelain --ignored"); out != "" {
		t.Errorf("git status inside:\n%s", out)
	}
	b.Close()
	if after := tree(t, b.home); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestObserveWritesNothing(t *testing.T) {
	b := newBox(t)
	before := tree(t, b.work)
	out, r := b.sh("echo x > new; echo x >> README.md; rm README.md; mkdir d; touch .git/x; echo t > /tmp/t && cat /tmp/t; cat README.md", func(c *Command) { c.Profile = Observe() })
	has(t, out, "Read-only file system")
	has(t, out, "t\nhello\n")
	if after := tree(t, b.work); after != before || r.ExitCode != 0 {
		t.Errorf("exit %d, after:\n%s", r.ExitCode, after)
	}
}

func TestSecretsInTheWorkspace(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/.env", "KEY=the-secret")
	b.write(b.work+"/sub/prod.env", "KEY=the-secret")
	b.write(b.work+"/.env.example", "KEY=example")
	b.write(b.work+"/key.pem", "-----BEGIN PRIVATE KEY-----\nthe-secret")
	b.write(b.work+"/cert.pem", "-----BEGIN CERTIFICATE-----\npublic")
	b.write(b.work+"/tracked.env", "KEY=in-the-history")
	git(t, b.work, "add", "tracked.env")
	b.write(b.work+"/node_modules/x/.env", "KEY=in-a-package")
	out, _ := b.sh("grep -rh . . --include='*env*' --include='*.pem'; mv sub other; mv sub node_modules; cat */prod.env; echo x >> .env")
	lacks(t, out, "the-secret")
	for _, want := range []string{"example", "public", "in-the-history", "in-a-package", ".env: Read-only file system"} {
		has(t, out, want)
	}
	// A command's own files are no secrets of the person's, until changed.
	b.sh("echo KEY=mine > mine.env")
	out, _ = b.sh("cat mine.env")
	has(t, out, "KEY=mine")
	b.write(b.work+"/mine.env", "KEY=the-secret")
	out, _ = b.sh("cat mine.env")
	lacks(t, out, "the-secret")
	// A name that the person reveals.
	b.cfg.Reveal = []string{".env"}
	out, _ = b.sh("cat .env sub/prod.env")
	if out != "KEY=the-secret" {
		t.Errorf("%q", out)
	}
}

func TestSocketsOfTheHost(t *testing.T) {
	b := newBox(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	// The path of a socket is short: it is bound from within its folder.
	t.Chdir(b.work)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "daemon.sock"}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 1); err != nil {
		t.Fatal(err)
	}
	out, _ := b.sh(`python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("daemon.sock"); print("reached")'`)
	lacks(t, out, "reached")
}

func TestHomeIsEmptyButForTools(t *testing.T) {
	b := newBox(t)
	for _, s := range homeSecrets {
		b.write(filepath.Join(b.home, strings.ReplaceAll(s, "*", "x"), "file"), "the-secret")
	}
	b.write(b.home+"/.local/bin/tool", "#!/bin/sh\necho tool runs\n")
	os.Chmod(b.home+"/.local/bin/tool", 0o755)
	b.write(b.home+"/.gitconfig", "[user]\n\tname = Person\n[url \"https://u:the-secret@host/\"]\n\tinsteadOf = https://host/\n[http]\n\textraHeader = \\\n\t\tthe-secret\n[init]\n\tdefaultBranch = trunk\n")
	os.RemoveAll(b.home + "/.npmrc")
	b.write(b.home+"/.npmrc", "//registry/:_authToken=the-secret\nsave-exact=true\nregistry=https://u:the-secret@r/\n")
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	out, _ := b.sh("grep -rs secret ~ ; ls -A ~; ~/.local/bin/tool; git config user.name; git config init.defaultBranch; cat ~/.npmrc; echo x > ~/new && cat ~/new; ls " + b.home + "/code")
	lacks(t, out, "secret")
	has(t, out, "tool runs\nPerson\ntrunk\nsave-exact=true\nx\nwork\n")
	if exists(b.home + "/new") {
		t.Error("a file reached the real home")
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

func TestLinksInProtectedPlaces(t *testing.T) {
	b := newBox(t)
	b.write(b.work+"/AGENTS.md", "rules")
	os.Symlink("AGENTS.md", b.work+"/CLAUDE.md") // common, and allowed
	b.sh("true")
	os.Symlink("elsewhere", b.work+"/.claude")
	_, _, err := b.try("true")
	has(t, asError[*SetupError](t, err).Error(), ".claude is a link")
	os.Remove(b.work + "/.claude")
	os.RemoveAll(b.work + "/.git/hooks")
	os.Symlink("../hooks", b.work+"/.git/hooks")
	_, _, err = b.try("true")
	has(t, asError[*SetupError](t, err).Error(), ".git/hooks is a link")
}

// A command that plants links on the way to what is covered gets neither the
// targets shown nor anything made in them.
func TestLinksOnTheWay(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(b.home, "other")
	b.write(other+"/repo/HEAD", "ref: x")
	b.write(other+"/repo/config", "the-secret")
	b.write(other+"/attributes", "the-secret")
	b.write(other+"/workflows/x", "the-secret")
	before := tree(t, other)
	for link, refused := range map[string]bool{".git/modules": true, ".git/info": true, ".git/worktrees": true, ".github": false} {
		os.RemoveAll(filepath.Join(b.work, link))
		if err := os.Symlink(other, filepath.Join(b.work, link)); err != nil {
			t.Fatal(err)
		}
		out, _, err := b.try("grep -rs secret . " + other + "; find " + other)
		if (err != nil) != refused {
			t.Errorf("%s: %v", link, err)
		}
		lacks(t, out, "the-secret")
		os.Remove(filepath.Join(b.work, link))
	}
	if after := tree(t, other); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	// The same in the cache, which belongs to the commands.
	b.write(b.home+"/.cargo/registry/cache/x", "crate")
	b.write(b.home+"/.gradle/wrapper/x", "wrapper")
	b.sh("ln -s " + other + " ~/.cache/cargo; ln -s ../../../.. ~/.cache/gradle; ln -s " + other + " ~/.cache/go-mod")
	out, r := b.sh("cat ~/.cargo/registry/cache/x; ls ~/.cache/")
	if r.ExitCode != 0 || tree(t, other) != before {
		t.Errorf("%s\n%s", out, tree(t, other))
	}
}

// A command that runs beside another, and swaps a folder for a link again and
// again, never gets the other one to show what the link leads to.
func TestSwappedWhileTheSandboxIsMade(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(b.home, "other")
	b.write(other+"/x/config", "the-secret")
	b.write(other+"/x/HEAD", "x")
	b.write(b.work+"/.git/modules/x/HEAD", "x")
	b.write(b.work+"/.git/modules/x/config", "x")
	mods := b.work + "/.git/modules"
	if err := os.Symlink(other, mods+".link"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, other)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // from outside: the worst case
		for {
			select {
			case <-stop:
				return
			default:
			}
			unix.Renameat2(unix.AT_FDCWD, mods, unix.AT_FDCWD, mods+".link", unix.RENAME_EXCHANGE)
			time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		}
	})
	ran := 0
	for range 150 {
		out, _, err := b.try("cat .git/modules/x/config " + other + "/x/config .git/modules.link/x/config")
		lacks(t, out, "the-secret")
		if err == nil {
			ran++
		}
	}
	close(stop)
	wg.Wait()
	if left := tree(t, other); left != before {
		t.Errorf("the other folder was\n%s\nand is\n%s", before, left)
	}
	t.Logf("%d of 150 commands ran", ran)
}

func TestSpelledThroughALink(t *testing.T) {
	b := newBox(t)
	link := filepath.Join(b.base, "link")
	os.Symlink(filepath.Dir(b.home), link)
	b.cfg.Root = filepath.Join(link, "home/code/work")
	s, err := New(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	out, r := b.sh("pwd; pwd -P; echo x > " + b.cfg.Root + "/by-spelling; cat " + b.work + "/by-spelling")
	if want := b.cfg.Root + "\n" + b.work + "\nx\n"; out != want || r.ExitCode != 0 {
		t.Errorf("%q, want %q", out, want)
	}
}

func TestWithoutGitAndWithoutRights(t *testing.T) {
	b := newBox(t)
	os.RemoveAll(b.work + "/.git")
	if out, r := b.sh("echo x > f; cat f"); out != "x\n" || len(r.Quarantine) > 0 {
		t.Errorf("%q %+v", out, r)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a workspace that belongs to somebody else")
	}
	foreign := func() (out string, r Result) {
		for _, p := range []string{b.work, b.work + "/README.md"} {
			if err := os.Chown(p, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		return b.sh("cat README.md; echo x > new; mkdir .idea; true")
	}
	git(t, b.work, "init", "-q")
	for range 2 { // with a repository, and without
		out, r := foreign()
		has(t, out, "hello\n")
		has(t, out, "Permission denied")
		if len(r.Litter) > 0 || exists(b.work+"/.idea") || exists(b.work+"/new") {
			t.Errorf("%+v", r)
		}
		os.RemoveAll(b.work + "/.git")
	}
}

func TestOwnBinds(t *testing.T) {
	b := newBox(t)
	b.write(b.base+"/config", "[user]\n\tname = Bound\n")
	out, _ := b.sh("git config user.name; mkdir .github && echo free", func(c *Command) {
		c.Binds = []Bind{{Source: b.base + "/config", Target: b.work + "/.git/config"}}
		c.Uncover = true
	})
	has(t, out, "Bound\n")
	has(t, out, "free\n")
	_, _, err := b.try("true", func(c *Command) { c.Binds = []Bind{{Source: b.home, Target: b.home, Writable: true}} })
	asError[*SetupError](t, err)
}

func TestDenialsAreHints(t *testing.T) {
	b := newBox(t)
	b.write(b.home+"/notes.txt", "x")
	for script, want := range map[string]string{
		"echo x > .vscode/a":             "blocked by the sandbox: .vscode/a (protected name)",
		"echo x > .git/hooks/pre-commit": "(git hooks and configuration)",
		"cat ~/notes.txt":                "(the home folder is an empty one)",
		"echo x > /etc/motd":             "/etc/motd (system folders are read-only)",
		"curl -s https://example.invalid || { echo 'curl: (6) Could not resolve host: example.invalid' >&2; exit 6; }": "example.invalid (the profile work has none), allow with --profile net --allow-host example.invalid",
	} {
		_, r := b.sh(script)
		if len(r.Denials) == 0 || !strings.Contains(r.Denials[0].String(), want) {
			t.Errorf("%s: %v, want %q", script, r.Denials, want)
		}
	}
	if _, r := b.sh("cat missing; exit 1"); len(r.Denials) > 0 {
		t.Errorf("a missing file of the workspace is no denial: %v", r.Denials)
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

// A protected name in another spelling is that name on a disk that folds names.
func TestProtectedNamesInOtherSpellings(t *testing.T) {
	b := newBox(t)
	if err := os.Mkdir(filepath.Join(b.work, ".Idea"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{".GIT", ".Vscode", ".CLAUDE", ".claude.", ".mcp.json ", ".g\u200cit", ".ENVRC"}
	_, r := b.sh("for n in '" + strings.Join(names, "' '") + "'; do mkdir \"$n\"; echo x > \"$n/f\"; done; mkdir .gitx .clauderc Src; exit 0")
	for _, n := range names {
		if _, err := os.Lstat(filepath.Join(b.work, n)); err == nil {
			t.Errorf("%q is still there", n)
		}
	}
	for _, n := range []string{".gitx", ".clauderc", "Src", ".Idea"} {
		if _, err := os.Lstat(filepath.Join(b.work, n)); err != nil {
			t.Error(err)
		}
	}
	if len(r.Quarantine) != len(names) {
		t.Errorf("%+v", r.Quarantine)
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

// A dump goes nowhere, neither into a file nor to a program of the host.
func TestNoCoreDump(t *testing.T) {
	b := newBox(t)
	out, _ := b.sh(`python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_CORE))'; sh -c 'kill -SEGV $$'; ls`)
	has(t, out, "(1, 1)\n")
	lacks(t, out, "core\n")
}
