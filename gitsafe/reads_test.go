package gitsafe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPlannedReads: a file is named however it is asked for.
func TestPlannedReads(t *testing.T) {
	l := newLab(t)
	l.write("repo/.env", "SECRET=1\n")
	l.write("repo/sub/.env", "SECRET=2\n")
	l.commit("secrets")
	id := l.git("rev-parse", "HEAD:.env")
	l.git("tag", "blobtag", id)
	old := l.git("hash-object", "-w", l.path("outside/victim.txt"))
	for args, want := range map[string]string{
		"show HEAD:.env":              ".env",
		"show @~0:sub/.env":           "sub/.env",
		"show :.env":                  ".env",
		"show " + id:                  ".env",
		"show " + id[:9]:              ".env",
		"cat-file -p " + id:           ".env",
		"cat-file blob blobtag":       ".env",
		"show blobtag":                ".env",
		"grep SECRET " + id:           ".env",
		"diff HEAD~1:a.txt " + id:     ".env",
		"diff HEAD .env":              ".env",
		"diff -- .env":                ".env",
		"log -p -- .env":              ".env",
		"log -p .env":                 ".env",
		"log -L1,1:.env":              ".env",
		"blame .env":                  ".env",
		"grep SECRET -- *.env":        "sub/.env",
		"grep SECRET -- :(top).env":   ".env",
		"grep SECRET -- :(icase).EN*": ".env",
		"log -p *.env":                "sub/.env",
		"add .env":                    ".env",
		"checkout HEAD~1 -- .env":     ".env",
		"-C sub show HEAD:./.env":     "sub/.env",
		"-C sub show HEAD:../.env":    ".env",
		"-C sub blame .env":           "sub/.env",
		"-C sub show :.env":           ".env",
	} {
		_, p := l.plan(strings.Fields(args)...)
		if !slices.Contains(p.Reads, filepath.Join(l.repo, want)) && !slices.Contains(p.Writes, filepath.Join(l.repo, want)) {
			t.Errorf("git %s reads %v, want %s", args, p.Reads, want)
		}
	}
	if _, p := l.plan("show", old); !slices.Contains(p.Opaque, old) {
		t.Errorf("an object without a path is not reported: %+v", p.Opaque)
	}
}

// TestOutsideReads: nothing outside of the working tree is shown.
func TestOutsideReads(t *testing.T) {
	l := newLab(t)
	l.write("outside/secret.txt", "TOPSECRET\n")
	l.must(os.Symlink(l.outside, l.repo+"/away"))
	l.must(os.Symlink(l.outside+"/secret.txt", l.repo+"/leak"))
	l.must(os.Symlink(l.outside+"/secret.txt", l.repo+"/.mailmap"))
	for _, k := range []string{"core.excludesFile", "core.attributesFile", "mailmap.file", "commit.template", "diff.orderFile",
		"format.signatureFile", "init.templateDir", "include.path"} {
		l.set(k, l.outside+"/secret.txt")
		for _, args := range []string{"status", "log --use-mailmap -1", "diff", "commit --dry-run -a -m x", "check-ignore -v a.txt"} {
			r, err := l.run(strings.Fields(args)...)
			if text := string(r.Stdout) + string(r.Stderr); strings.Contains(text, "TOPSECRET") || (err != nil && strings.Contains(err.Error(), "TOPSECRET")) {
				t.Errorf("%s: git %s shows it: %s %v", k, args, text, err)
			}
		}
		l.git("config", "--file", l.repo+"/.git/config", "--unset-all", k)
	}
	l.set("blame.ignoreRevsFile", "leak")
	l.refused("no file of the working tree", "blame", "a.txt")
	l.git("config", "--file", l.repo+"/.git/config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
	l.write("repo/.git-blame-ignore-revs", "# none\n")
	l.ok("blame", "a.txt")
	for _, args := range []string{
		"diff /etc/passwd /dev/null", "diff ../outside/secret.txt a.txt", "diff -- ../outside/secret.txt ../outside/victim.txt",
		"diff sub/../../outside/secret.txt a.txt", "log -- ../outside/secret.txt", "grep TOP -- ../outside", "blame ../outside/secret.txt",
		"add ../outside/secret.txt", "status ../outside", "ls-files -o ../outside", "diff --stat " + l.outside + "/secret.txt " + l.outside + "/victim.txt",
	} {
		l.refused("leads out of the working tree", strings.Fields(args)...)
	}
	for _, args := range []string{"diff away/secret.txt away/victim.txt", "add away/secret.txt", "add leak", "diff -- leak", "grep TOP -- away",
		"grep --untracked TOP", "show :leak", "blame leak", "stash -u", "stash show -p --include-untracked"} {
		r, _ := l.run(strings.Fields(args)...)
		if strings.Contains(string(r.Stdout), "TOPSECRET") {
			t.Errorf("git %s shows it: %s", args, r.Stdout)
		}
	}
	// A message may come from a file elsewhere; then the plan says so.
	l.opts.Root = l.repo
	if _, p := l.plan("commit", "-F", "../outside/secret.txt"); !slices.Contains(p.Outside, l.outside+"/secret.txt") {
		t.Errorf("outside: %v", p.Outside)
	}
	if _, p := l.plan("worktree", "add", "../wt"); !slices.Contains(p.Outside, l.dir+"/wt") {
		t.Errorf("outside: %v", p.Outside)
	}
}

func TestOutsideWrites(t *testing.T) {
	l := newLab(t)
	l.must(os.Symlink(l.outside, l.repo+"/away"))
	l.write("repo/p1.patch", "--- a/../outside/victim.txt\n+++ b/../outside/victim.txt\n@@ -1 +1 @@\n-keep me\n+changed\n")
	l.write("repo/p2.patch", "--- a/away/victim.txt\n+++ b/away/victim.txt\n@@ -1 +1 @@\n-keep me\n+changed\n")
	l.write("repo/p3.patch", "--- a/victim.txt\n+++ b/victim.txt\n@@ -1 +1 @@\n-keep me\n+changed\n")
	for _, args := range []string{"apply p1.patch", "apply p2.patch", "apply --directory=../outside p3.patch", "apply --directory=away p3.patch",
		"checkout HEAD -- away", "mv a.txt ../outside/a.txt", "mv a.txt away/a.txt", "mv a.txt away", "rm -f away/victim.txt", "clean -fdx away/", "restore away/victim.txt"} {
		_, _ = l.run(strings.Fields(args)...)
		l.unharmed("git " + args)
	}
	if names, _ := os.ReadDir(l.outside); len(names) != 1 {
		t.Errorf("outside holds %v", names)
	}
}

// TestPlain: limits hold, and nothing outlives the run.
func TestPlain(t *testing.T) {
	t.Parallel()
	sh := func(ctx context.Context, script string, change func(*Invocation)) (ExitStatus, string, error) {
		var out bytes.Buffer
		in := Invocation{Path: "/bin/sh", Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"},
			Stdout: &out, OutputLimit: 1000, Timeout: 20 * time.Second}
		if change != nil {
			change(&in)
		}
		st, err := Plain{}.Run(ctx, in)
		return st, out.String(), err
	}
	if st, out, err := sh(t.Context(), "echo hi; exit 7", nil); err != nil || st.Code != 7 || out != "hi\n" {
		t.Errorf("%+v %q %v", st, out, err)
	}
	if st, _, err := sh(t.Context(), "kill -9 $$", nil); err != nil || st.Code != 137 || !st.Signalled {
		t.Errorf("%+v %v", st, err)
	}
	if st, out, _ := sh(t.Context(), "head -c 5000 /dev/zero", nil); !st.Truncated || st.Code != 0 || len(out) != 1000 {
		t.Errorf("%+v, %d bytes", st, len(out))
	}
	if st, out, _ := sh(t.Context(), "cat; tty || true", func(in *Invocation) { in.Stdin = strings.NewReader("in") }); st.Code != 0 || !strings.HasPrefix(out, "in") {
		t.Errorf("%+v %q", st, out)
	}
	if _, _, err := sh(t.Context(), "", func(in *Invocation) { in.Path = "/nonexistent" }); err == nil {
		t.Error("a program that is not there starts")
	}
	mark := filepath.Join(t.TempDir(), "alive")
	start := time.Now()
	st, _, err := sh(t.Context(), "(trap '' TERM; sleep 6; touch "+mark+") & sleep 60", func(in *Invocation) { in.Timeout = 300 * time.Millisecond })
	if err != nil || !st.TimedOut || time.Since(start) > 5*time.Second {
		t.Errorf("%+v %v after %s", st, err, time.Since(start))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if st, _, err := sh(ctx, "sleep 60", nil); err != nil || !st.Signalled {
		t.Errorf("cancelled: %+v %v", st, err)
	}
	time.Sleep(max(0, 6500*time.Millisecond-time.Since(start)))
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child outlived the run")
	}
}

// A swap is a Runner that shows overlays as a sandbox would: it puts their
// content in place for the time of one run.
type swap struct{ t *testing.T }

func (s swap) Run(ctx context.Context, in Invocation) (ExitStatus, error) {
	for _, o := range in.Overlays {
		kept := o.Path + ".kept"
		if err := os.Rename(o.Path, kept); err != nil {
			return ExitStatus{}, err
		}
		if o.Dir {
			_ = os.Mkdir(o.Path, 0o755)
		} else {
			_ = os.WriteFile(o.Path, o.Content, 0o644)
		}
		defer func() {
			os.RemoveAll(o.Path)
			if err := os.Rename(kept, o.Path); err != nil {
				s.t.Error(err)
			}
		}()
	}
	return Plain{}.Run(ctx, in)
}

// TestOverlays: with a sandbox that binds, keys that nothing overrides do not
// exist, and what is legitimate still works.
func TestOverlays(t *testing.T) {
	l := newLab(t)
	l.opts.Runner, l.opts.Overlays = swap{t}, true
	layRemote(func(l *lab) {
		l.set("url.ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% ")+"% #.insteadOf", l.dir)
		l.set("pull.twohead", "evil")
		l.set("alias.merge-evil", "!"+l.pwned())
		l.set("hook.pre-commit.command", l.pwned())
		l.set("zz.future.list", l.pwned())
		l.set("extensions.worktreeConfig", "true")
		l.set("core.repositoryformatversion", "1")
		l.write("repo/.git/config.worktree", "[user]\n\temail = worktree@example.invalid\n[core]\n\tfsmonitor = \""+l.pwned()+"; false\"\n")
		l.script("repo/.git/hooks/post-index-change", l.pwned())
	})(l)
	for _, args := range []string{"status", "rebase HEAD~1", "merge feature", "commit --allow-empty -m x", "cherry-pick --allow-empty HEAD", "diff HEAD~1", "blame a.txt", "reset --hard HEAD~1"} {
		l.ok(strings.Fields(args)...)
		l.unharmed("git " + args)
	}
	if got := l.git("log", "-1", "--format=%ae"); got != "worktree@example.invalid" {
		t.Errorf("the mail of this worktree is lost: %q", got)
	}
	// What writes the configuration, or wants the person's keys and therefore
	// runs outside of the sandbox, sees the true one, under overrides only.
	l.refused("cannot be overridden", "branch", "topic")
	l.refused("cannot be overridden", "fetch", "origin")
	l.refused("cannot be overridden", "commit", "--allow-empty", "-S", "-m", "x")
	l.git("config", "--file", l.repo+"/.git/config", "--remove-section", "hook.pre-commit")
	l.ok("branch", "--track", "topic", "main")
	if l.git("config", "branch.topic.merge") != "refs/heads/main" {
		t.Error("the branch does not track")
	}
	l.unharmed("branch")
	var none *RefusedError
	if _, err := l.run("push", "-u", "origin", "topic"); !errors.As(err, &none) {
		t.Errorf("push -u under a rewritten address: %v", err)
	}
}

// TestEnvironmentFor: git inside a compound command, under what is handed out.
func TestEnvironmentFor(t *testing.T) {
	l := newLab(t)
	l.set("core.fsmonitor", l.pwned()+"; false")
	l.set("filter.evil.clean", l.pwned()+"; cat")
	l.set("alias.st", "!"+l.pwned())
	l.set("zz.future", l.pwned())
	l.set("remote.origin.url", "ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% "))
	l.set("protocol.ext.allow", "always")
	l.attributes("* filter=evil")
	l.script("repo/.git/hooks/pre-commit", l.pwned())
	env, err := l.safeGit().EnvironmentFor(t.Context(), l.repo+"/sub")
	l.must(err)
	run := func(script string) string {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir, cmd.Env = l.repo, append(append([]string{}, l.env...), env.Env...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for _, script := range []string{"git status && git add -A && git commit -m x && git log | head -1", "git st", "git fetch", "cd sub && git diff"} {
		out := run(script)
		l.unharmed(script + ": " + out)
	}
	if got := l.git("log", "-1", "--format=%s"); got != "x" {
		t.Errorf("the commit is %q", got)
	}
	var paths []string
	for _, o := range env.Overlays {
		paths = append(paths, strings.TrimPrefix(o.Path, l.repo+"/.git/"))
		for _, bad := range []string{"core.fsmonitor", "filter", "alias", "fsmonitor", "zz"} {
			if bytes.Contains(o.Content, []byte(bad)) {
				t.Errorf("%s holds %q:\n%s", o.Path, bad, o.Content)
			}
		}
	}
	if strings.Join(paths, " ") != "config hooks" || !bytes.Contains(env.Overlays[0].Content, []byte("filemode")) {
		t.Errorf("overlays: %v\n%s", paths, env.Overlays[0].Content)
	}
	if env, err := l.safeGit().EnvironmentFor(t.Context(), l.outside); err != nil || len(env.Env) == 0 || len(env.Overlays) != 0 {
		t.Errorf("without a repository: %v %v", env, err)
	}
	l.must(os.Rename(l.repo+"/.git/logs/HEAD", l.outside+"/moved"))
	l.must(os.Symlink(l.outside+"/moved", l.repo+"/.git/logs/HEAD"))
	if env, err := l.safeGit().EnvironmentFor(t.Context(), l.repo); err == nil || len(env.Env) == 0 || len(env.Overlays) != 0 {
		t.Errorf("a hostile layout: %v, %d settings", err, len(env.Env))
	}
}
