package gitsafe

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestIncludeIf: conditions of the person's own file are evaluated.
func TestIncludeIf(t *testing.T) {
	l := newLab(t)
	l.write("home/work.inc", "[user]\n\temail = me@work.invalid\n")
	l.userSet("includeIf.gitdir:"+l.repo+"/.path", l.home+"/work.inc")
	l.set("core.fsmonitor", l.pwned()+"; false")
	l.ok("commit", "-a", "-m", "x")
	if got := l.git("log", "-1", "--format=%ae"); got != "me@work.invalid" {
		t.Errorf("the mail is %q", got)
	}
	l.unharmed("commit")
}

// TestUserSigning: the person signs with ssh, whatever the repository says.
func TestUserSigning(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen")
	}
	l := newLab(t)
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "k", "-f", l.home+"/key").CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v %s", err, out)
	}
	l.userSet("gpg.format", "ssh")
	l.userSet("user.signingKey", l.home+"/key.pub")
	l.userSet("commit.gpgSign", "true")
	evil := l.script("repo/.git/sign", l.pwned()+"; exit 1")
	for _, k := range []string{"gpg.ssh.program", "gpg.program"} {
		l.set(k, evil)
	}
	l.set("gpg.format", "openpgp")
	l.set("commit.gpgSign", "false")
	l.set("user.signingKey", l.repo+"/.git/theirs")
	for _, args := range [][]string{{"commit", "-a", "-m", "x"}, {"merge", "--no-ff", "-m", "m", "feature"}, {"commit", "--amend", "-m", "y"}} {
		l.ok(args...)
		if !strings.Contains(l.git("cat-file", "commit", "HEAD"), "BEGIN SSH SIGNATURE") {
			t.Errorf("git %v made no signature", args)
		}
	}
	l.ok("tag", "-s", "-m", "t", "v1")
	l.unharmed("signing")
	c, _ := Check([]string{"commit", "-m", "x"})
	p, err := l.safeGit().Plan(t.Context(), l.repo, c)
	if err != nil || !slices.Contains(p.look.readable, l.home+"/key") {
		t.Errorf("the key is not among what a sandbox must show: %v %v", p.look.readable, err)
	}
}

// TestUserFilter: a filter of the person runs, one of the repository does not,
// and one that the repository shadows runs as the person wrote it.
func TestUserFilter(t *testing.T) {
	l := newLab(t)
	l.userSet("filter.good.clean", "echo ran >>"+l.legit+"; tr a-z A-Z")
	l.userSet("filter.good.smudge", "tr A-Z a-z")
	l.userSet("filter.good.required", "true")
	l.set("filter.good.clean", l.pwned()+"; cat")
	l.set("filter.bad.clean", l.pwned()+"; cat")
	l.attributes("new.txt filter=good\nb.txt filter=bad")
	l.write("repo/b.txt", "bee2\n")
	l.ok("add", "-A")
	if a, b := l.git("show", ":new.txt"), l.git("show", ":b.txt"); a != "FRESH" || b != "bee2" {
		t.Errorf("staged %q and %q", a, b)
	}
	if l.read("LEGIT") == "" {
		t.Error("the person's filter did not run")
	}
	l.unharmed("add")
	l.set("filter.good.process", l.pwned())
	l.refused("filter.good.process", "add", "-A")
}

// TestTrustedDriver: the person agrees to one command line, and to no other.
func TestTrustedDriver(t *testing.T) {
	l := newLab(t)
	l.set("filter.lfs.clean", "echo ran >>"+l.legit+"; cat")
	l.attributes("* filter=lfs")
	c, _ := Check([]string{"add", "-A"})
	p, err := l.safeGit().Plan(t.Context(), l.repo, c)
	if err != nil || len(p.Drivers) != 1 || p.Drivers[0].Name != "filter.lfs.clean" {
		t.Fatalf("drivers: %+v %v", p.Drivers, err)
	}
	l.ok("add", "-A")
	if _, err := os.Stat(l.legit); err == nil {
		t.Error("the driver ran unasked")
	}
	l.trust(p.Drivers[0].Digest)
	l.write("repo/new.txt", "fresher\n")
	l.ok("add", "-A")
	if _, err := os.Stat(l.legit); err != nil {
		t.Error("the agreed driver did not run")
	}
	l.set("filter.lfs.clean", l.pwned()+"; cat")
	l.write("repo/new.txt", "freshest\n")
	l.ok("add", "-A")
	l.unharmed("another command line")
}

// TestTrustedHook: what runs is what was hashed.
func TestTrustedHook(t *testing.T) {
	l := newLab(t)
	l.script("repo/.git/hooks/pre-commit", "echo ran >>"+l.legit)
	l.script("repo/.git/hooks/post-commit", l.pwned())
	l.opts.Private = t.TempDir()
	c, _ := Check([]string{"commit", "-a", "-m", "x"})
	p, err := l.safeGit().Plan(t.Context(), l.repo, c)
	if err != nil || len(p.Hooks) != 2 || len(p.Notes) != 2 {
		t.Fatalf("hooks: %+v, notes %v, %v", p.Hooks, p.Notes, err)
	}
	for _, h := range p.Hooks {
		if h.Name == "pre-commit" {
			l.trust(h.Digest)
		}
	}
	l.ok("commit", "-a", "-m", "x")
	if l.read("LEGIT") != "ran\n" {
		t.Error("the agreed hook did not run once")
	}
	l.unharmed("the other hook")
	if left, _ := os.ReadDir(l.opts.Private); len(left) != 0 {
		t.Errorf("copies are left behind: %v", left)
	}
	l.script("repo/.git/hooks/pre-commit", l.pwned())
	l.ok("commit", "--allow-empty", "-m", "y")
	l.unharmed("a hook that was changed")
	// An agreement to a hook of one name is none for another.
	l.must(os.Rename(l.repo+"/.git/hooks/pre-commit", l.repo+"/.git/hooks/x"))
	l.script("repo/.git/hooks/commit-msg", "echo ran >>"+l.legit)
	l.ok("commit", "--allow-empty", "-m", "z")
	if l.read("LEGIT") != "ran\n" {
		t.Error("a hook ran under another name")
	}
}

// TestUserHooks: hooks of the person's own hooksPath are reported, not run:
// they mostly run what the repository names.
func TestUserHooks(t *testing.T) {
	l := newLab(t)
	l.script("home/hooks/pre-commit", l.pwned())
	l.userSet("core.hooksPath", l.home+"/hooks")
	r, err := l.run("commit", "-a", "-m", "x")
	if err != nil || r.Code != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "pre-commit") {
		t.Errorf("%v, %+v", err, r)
	}
	l.unharmed("commit")
}

func TestStatus(t *testing.T) {
	l := newLab(t)
	layMerge(func(*lab) {}, "")(l)
	_, _ = l.try("merge", "feature")
	l.write("repo/sp ace\nline.txt", "x\n")
	l.write("repo/was.txt", "a long enough text to be found again\n")
	l.git("add", "was.txt")
	l.must(os.Rename(l.repo+"/b.txt", l.repo+"/moved.txt"))
	l.git("add", "-A", "--", "b.txt", "moved.txt")
	l.write("repo/d.txt", "changed\n")
	s, err := l.safeGit().Status(t.Context(), l.repo+"/sub")
	if err != nil || s.Branch != "main" || len(s.Commit) != 40 {
		t.Fatalf("%+v, %v", s, err)
	}
	want := map[string]string{"a.txt": "UU!", "sp ace\nline.txt": "??", "was.txt": "A.", "moved.txt": "R.<b.txt", "d.txt": ".M"}
	for _, e := range s.Entries {
		got := string([]byte{e.Index, e.Worktree})
		if e.Conflict {
			got += "!"
		}
		if e.Orig != "" {
			got += "<" + e.Orig
		}
		if w, ok := want[e.Path]; ok && w != got {
			t.Errorf("%q is %s, want %s", e.Path, got, w)
		}
		delete(want, e.Path)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid (initial)\x00# branch.head main\x00? a\x001 .M N... 100644 100644 100644 a b c d\x00"))
	f.Add([]byte("2 R. N... 100644 100644 100644 a b R100 new\x00old\x00u UU N... 1 2 3 4 a b c f\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := ParseStatus(out)
		if err != nil && len(s.Entries) != 0 {
			t.Error("entries come back with an error")
		}
		for _, e := range s.Entries {
			if e.Path == "" {
				t.Error("an entry without a path")
			}
		}
	})
}

func TestLogStageCommit(t *testing.T) {
	l := newLab(t)
	g := l.safeGit()
	run := func(c Call, err error) Result {
		t.Helper()
		l.must(err)
		p, err := g.Plan(t.Context(), l.repo, c)
		l.must(err)
		r, err := g.Run(t.Context(), p, Streams{})
		if err != nil || r.Code != 0 {
			t.Fatalf("%s: %v %s", c, err, r.Stderr)
		}
		return r
	}
	l.write("repo/-odd name", "x\n")
	run(Check([]string{"add", "--", "a.txt", "-odd name"}))
	run(Check([]string{"commit", "--message=-a subject\n\nbody one\nbody two\n\nKey: value"}))
	if d := string(run(Check([]string{"diff", "--", "new.txt"})).Stdout); d != "" {
		t.Errorf("an untracked file differs: %s", d)
	}
	log := string(run(Check([]string{"log", "--max-count=2", "--format=%an <%ae>%n%B", "--", "a.txt"})).Stdout)
	if !strings.HasPrefix(log, "Real User <real@example.invalid>\n-a subject\n\nbody one\nbody two\n\nKey: value\n") || strings.Count(log, "<real@example.invalid>") != 2 {
		t.Errorf("the log says %q", log)
	}
	if names := l.git("show", "--name-only", "--format=", "HEAD"); names != "-odd name\na.txt" {
		t.Errorf("committed %q", names)
	}
}

// TestTrueHistory: neither replaced objects nor grafts change what is shown.
func TestTrueHistory(t *testing.T) {
	l := newLab(t)
	head := l.git("rev-parse", "HEAD")
	l.git("replace", head, l.git("rev-parse", "feature"))
	l.write("repo/.git/info/grafts", head+"\n")
	if got := l.ok("log", "--format=%s"); got != "second\nbase\n" {
		t.Errorf("history is %q", got)
	}
}
