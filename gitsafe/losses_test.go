package gitsafe

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// plan plans a call that must be planned.
func (l *lab) plan(args ...string) (*Git, Plan) {
	l.t.Helper()
	c, err := Check(args)
	l.must(err)
	g := l.safeGit()
	p, err := g.Plan(l.t.Context(), l.repo, c)
	l.must(err)
	return g, p
}

func lossNames(p Plan) string {
	var b strings.Builder
	for _, loss := range p.Loses {
		b.WriteString(loss.Kind + " " + loss.Name)
		if !loss.Saved {
			b.WriteString(" (not saved)")
		}
		b.WriteString(";")
	}
	return b.String()
}

// TestSnapshotRestores: after each operation that loses work, the command that
// the result names puts every byte back.
func TestSnapshotRestores(t *testing.T) {
	for _, c := range []struct {
		args string
		lay  func(*lab)
		lost string
	}{
		{"reset --hard", nil, "modified a.txt;modified b.txt;"},
		{"reset --hard HEAD~1", nil, "modified a.txt;modified b.txt;commits HEAD;"},
		{"checkout -- a.txt b.txt", nil, "modified a.txt;"}, // b.txt is staged as it is
		{"checkout HEAD -- .", nil, "modified a.txt;modified b.txt;"},
		{"checkout a.txt", nil, "modified a.txt;"},
		{"checkout -f feature", nil, "modified a.txt;modified b.txt;"},
		{"switch --discard-changes feature", nil, "modified a.txt;modified b.txt;"},
		{"restore .", nil, "modified a.txt;"},
		{"restore -SW a.txt b.txt", nil, "modified a.txt;modified b.txt;"},
		{"restore --source HEAD~1 a.txt", nil, "modified a.txt;"},
		{"rm -f a.txt", nil, "modified a.txt;"},
		{"clean -fd", nil, "untracked deep/er/x.txt;untracked li nk;untracked new.txt;untracked q\"uo\nte.txt;"},
		{"clean -fdX", nil, "untracked or ignored ign.o;"},
		{"merge --abort", layConflict, "modified a.txt;modified f.txt;modified new.txt;"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			if c.lay != nil {
				c.lay(l)
			} else {
				layWork(l)
			}
			before := tree(l, l.repo+"/sub") + work(l)
			g, p := l.plan(strings.Fields(c.args)...)
			if got := lossNames(p); got != c.lost || !p.CanLose {
				t.Errorf("would be lost: %q, want %q", got, c.lost)
			}
			r, err := g.Run(t.Context(), p, Streams{})
			if err != nil || r.Code != 0 || r.Snapshot == nil {
				t.Fatalf("%v, %+v %s", err, r.Snapshot, r.Stderr)
			}
			if work(l) == before {
				t.Error("nothing was lost: this proves nothing")
			}
			if !strings.HasPrefix(c.args, "clean") {
				l.git("checkout", "-q", "-f", "main")
			}
			if c.args == "reset --hard HEAD~1" {
				l.git("reset", "-q", "--hard", r.Snapshot.Refs[1])
			}
			if c.args != "merge --abort" {
				l.recover(r.Snapshot)
				if now := tree(l, l.repo+"/sub") + work(l); now != before {
					t.Errorf("after %q the tree is\n%s\nwas\n%s", r.Snapshot.Recover, now, before)
				}
				return
			}
			if got := l.git("show", r.Snapshot.Refs[0]+":a.txt"); got != "half resolved" {
				t.Errorf("the resolution is %q", got)
			}
		})
	}
}

// layWork leaves work of every kind: modified, staged, both, untracked, ignored.
func layWork(l *lab) {
	l.must(os.Remove(l.repo + "/new.txt"))
	l.write("repo/.gitignore", "*.o\n")
	l.commit("ignore")
	l.write("repo/a.txt", "staged\r\nwith CR\n")
	l.git("add", "a.txt")
	l.append("repo/a.txt", "and then changed\n")
	l.write("repo/b.txt", "staged only\n")
	l.git("add", "b.txt")
	l.write("repo/new.txt", "untracked\r\n\x00binary")
	l.script("repo/deep/er/x.txt", "exit")
	l.write("repo/q\"uo\nte.txt", "odd name\n")
	l.write("repo/ign.o", "ignored\n")
	l.must(os.Symlink(l.outside+"/victim.txt", l.repo+"/li nk"))
}

func layConflict(l *lab) {
	layMerge(func(*lab) {}, "")(l)
	_, _ = l.try("merge", "feature")
	l.write("repo/a.txt", "half resolved\n")
}

// work is what a person would miss: content, staged content, modes.
func work(l *lab) string {
	var b strings.Builder
	for _, f := range []string{"a.txt", "b.txt", "new.txt", "deep/er/x.txt", "q\"uo\nte.txt", "ign.o", "li nk"} {
		fi, err := os.Lstat(l.repo + "/" + f)
		if err != nil {
			b.WriteString(f + " is gone\n")
			continue
		}
		content, _ := os.Readlink(l.repo + "/" + f)
		if content == "" {
			content = l.read("repo/" + f)
		}
		b.WriteString(f + " " + fi.Mode().String() + " " + content + "\n")
	}
	return b.String() + l.git("diff", "--cached")
}

// recover runs the command that the snapshot names.
func (l *lab) recover(s *Snapshot) {
	l.t.Helper()
	l.git(strings.Fields(strings.TrimPrefix(s.Recover, "git "))...)
}

func TestNothingToLose(t *testing.T) {
	l := newLab(t)
	l.commit("clean")
	for _, args := range []string{"reset --hard", "checkout -- .", "restore .", "clean -fd", "checkout main"} {
		g, p := l.plan(strings.Fields(args)...)
		r, err := g.Run(t.Context(), p, Streams{})
		if err != nil || len(p.Loses) != 0 || r.Snapshot != nil {
			t.Errorf("git %s: %v, loses %q, %+v", args, err, lossNames(p), r.Snapshot)
		}
	}
	if refs := l.git("for-each-ref", "refs/tera-pilot"); refs != "" {
		t.Errorf("refs for nothing: %s", refs)
	}
	_, p := l.plan("checkout", "main")
	if p.CanLose {
		t.Error("a switch of branches is said to lose work")
	}
}

func TestLostRefs(t *testing.T) {
	l := newLab(t)
	l.git("tag", "-a", "-m", "t", "v1", "feature")
	l.git("stash", "-q")
	l.write("repo/a.txt", "another\n")
	l.git("stash", "-q")
	for _, c := range []struct{ args, lost, id string }{
		{"stash drop 1", "stash stash@{1};", l.git("rev-parse", "stash@{1}")},
		{"stash clear", "stash stash@{0};", l.git("rev-parse", "stash@{0}")},
		{"tag -d v1", "tag v1;", l.git("rev-parse", "v1")},
		{"branch -D feature", "branch feature;", l.git("rev-parse", "feature")},
	} {
		g, p := l.plan(strings.Fields(c.args)...)
		if got := lossNames(p); got != c.lost {
			t.Errorf("git %s: %q, want %q", c.args, got, c.lost)
		}
		r, err := g.Run(t.Context(), p, Streams{})
		if err != nil || r.Code != 0 || r.Snapshot == nil {
			t.Fatalf("git %s: %v %s", c.args, err, r.Stderr)
		}
		if got := l.git("rev-parse", r.Snapshot.Refs[0]); got != c.id {
			t.Errorf("git %s kept %s, want %s", c.args, got, c.id)
		}
	}
	l.git("branch", "b1", "HEAD~1")
	l.git("branch", "b2", "HEAD")
	if _, p := l.plan("branch", "-f", "b2", "b1"); lossNames(p) != "branch b2;" {
		t.Errorf("branch -f loses %q", lossNames(p))
	}
	if _, p := l.plan("branch", "-M", "b1", "b2"); lossNames(p) != "branch b2;" {
		t.Errorf("branch -M loses %q", lossNames(p))
	}
	if _, p := l.plan("switch", "-C", "b2", "b1"); lossNames(p) != "branch b2;" {
		t.Errorf("switch -C loses %q", lossNames(p))
	}
}

// TestChanged: what is lost, run, or written must still be what was planned.
func TestChanged(t *testing.T) {
	for name, change := range map[string]func(*lab){
		"what would be lost": func(l *lab) { l.append("repo/a.txt", "more\n") },
		"another file":       func(l *lab) { l.write("repo/b.txt", "changed\n") },
		"a new hook":         func(l *lab) { l.script("repo/.git/hooks/post-checkout", "exit") },
		"a setting":          func(l *lab) { l.set("filter.x.clean", "cat") },
	} {
		l := newLab(t)
		g, p := l.plan("checkout", "HEAD", "--", ".")
		change(l)
		_, err := g.Run(t.Context(), p, Streams{})
		var changed *ChangedError
		if !errors.As(err, &changed) {
			t.Errorf("%s: %v, wanted a change", name, err)
		}
		if !strings.Contains(l.read("repo/a.txt"), "two") {
			t.Errorf("%s: it was run", name)
		}
	}
	if _, err := (&Git{opts: Options{Runner: Plain{}}}).Plan(t.Context(), "/", Call{Sub: "status", Class: Read}); err == nil {
		t.Error("a call that Check has not made is planned")
	}
}

// TestTooMuchToSave: the plan says so, and the person decides.
func TestTooMuchToSave(t *testing.T) {
	l := newLab(t)
	l.write("repo/big", "")
	l.must(os.Truncate(l.repo+"/big", maxSavedBytes+1))
	_, p := l.plan("clean", "-f")
	if !strings.Contains(lossNames(p), "untracked big (not saved)") || len(p.Notes) != 1 {
		t.Errorf("%s %v", lossNames(p), p.Notes)
	}
}

// TestNestedRepository: a second -f removes whole repositories, and is listed so.
func TestNestedRepository(t *testing.T) {
	l := newLab(t)
	l.git("init", "-q", "nested")
	l.write("repo/nested/work.txt", "work\n")
	if _, p := l.plan("clean", "-fd"); strings.Contains(lossNames(p), "nested") {
		t.Errorf("git keeps it: %s", lossNames(p))
	}
	if _, p := l.plan("clean", "-ffd"); !strings.Contains(lossNames(p), "untracked nested/work.txt;") {
		t.Errorf("git removes it: %s", lossNames(p))
	}
}

// TestConflictSide: taking one side overwrites what was resolved by hand.
func TestConflictSide(t *testing.T) {
	l := newLab(t)
	layConflict(l)
	for _, args := range []string{"checkout --ours -- a.txt", "checkout --theirs a.txt", "restore --merge a.txt"} {
		g, p := l.plan(strings.Fields(args)...)
		if len(p.Loses) != 1 || p.Loses[0].Added != 1 || p.Loses[0].Removed != 1 {
			t.Errorf("git %s loses %+v", args, p.Loses)
		}
		r, err := g.Run(t.Context(), p, Streams{})
		if err != nil || r.Code != 0 || l.git("show", r.Snapshot.Refs[0]+":a.txt") != "half resolved" {
			t.Errorf("git %s: %v %s", args, err, r.Stderr)
		}
		l.write("repo/a.txt", "half resolved\n")
	}
}

// TestNoTrace: the repository cannot switch the log of its refs off.
func TestNoTrace(t *testing.T) {
	l := newLab(t)
	l.git("config", "core.logAllRefUpdates", "false")
	l.must(os.RemoveAll(l.repo + "/.git/logs"))
	l.ok("reset", "--soft", "HEAD~1")
	if !strings.Contains(l.git("reflog"), "reset: moving to HEAD~1") {
		t.Error("no trace is left")
	}
}

func TestFirstCommit(t *testing.T) {
	l := newLab(t)
	l.must(os.RemoveAll(l.repo + "/.git"))
	l.git("init", "-q", ".")
	l.git("add", "a.txt")
	g, p := l.plan("rm", "-rf", "a.txt")
	r, err := g.Run(t.Context(), p, Streams{})
	if err != nil || r.Code != 0 {
		t.Fatalf("%v %s", err, r.Stderr)
	}
	if r.Snapshot != nil {
		if got := l.git("show", r.Snapshot.Refs[0]+":a.txt"); got != "one\ntwo" {
			t.Errorf("saved %q", got)
		}
	} else {
		t.Error("nothing was saved")
	}
	l.ok("status")
	l.ok("add", "-A")
	l.ok("commit", "-m", "first")
}

// TestSnapshotsEnd: the old and the too many go with the next one, or when they
// are asked to; nobody else's refs do.
func TestSnapshotsEnd(t *testing.T) {
	l := newLab(t)
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	l.opts.Now = func() time.Time { return now }
	refs := func() []string {
		return strings.Fields(l.git("for-each-ref", "--format=%(refname)", "refs/tera-pilot"))
	}
	lose := func() {
		l.write("repo/a.txt", now.String())
		l.ok("restore", "a.txt")
	}
	l.git("update-ref", "refs/tera-pilot/before/mine", "HEAD")
	l.git("update-ref", "refs/tera-pilot/before/20200101T000000Z", "HEAD")
	lose()
	now = now.Add(maxSnapshotAge + time.Hour)
	lose()
	if got := refs(); len(got) != 3 {
		t.Errorf("after an age: %v", got)
	}
	for i := range maxSnapshots {
		l.git("update-ref", before+now.Add(-time.Duration(i+1)*time.Minute).Format("20060102T150405Z")+"-reset-000000", "HEAD")
	}
	now = now.Add(time.Minute)
	lose()
	if got := refs(); len(got) != maxSnapshots+2 || !strings.HasPrefix(got[len(got)-2], before+now.Format("20060102T150405Z")) {
		t.Errorf("after many: %d, %s", len(got), got[len(got)-2])
	}
	n, err := l.safeGit().Prune(t.Context(), l.repo, now.Add(time.Second))
	if err != nil || n != maxSnapshots || len(refs()) != 2 {
		t.Errorf("pruned %d: %v %v", n, err, refs())
	}
}
