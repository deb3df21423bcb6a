package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitRunsNothingOfTheRepository: a hostile configuration and hooks do not
// run, through the git tools, through a command that is one git call, and
// through git inside a compound command.
func TestGitRunsNothingOfTheRepository(t *testing.T) {
	r := newRig(t, []step{
		{Say: "all of it", Calls: []call{
			{"git_status", map[string]any{}},
			{"git_diff", map[string]any{}},
			{"git_stage", map[string]any{"paths": []string{"a.txt"}}},
			{"git_commit", map[string]any{"message": "one"}},
			{"execute_command", map[string]any{"command": "git log -p -1"}},
			{"execute_command", map[string]any{"command": "echo x >> b.txt && git diff && git status && git add b.txt && git log -1 && true"}},
		}},
		{Say: "done"},
	}, nil)
	r.person = yes
	prepare(r)
	trap := filepath.Join(r.root, "sprung")
	evil := filepath.Join(r.root, "evil.sh")
	r.write("evil.sh", "#!/bin/sh\necho sprung >> "+trap+"\ncat\n")
	if err := os.Chmod(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{
		{"core.fsmonitor", evil}, {"diff.external", evil}, {"core.pager", evil}, {"pager.log", evil}, {"pager.diff", evil},
		{"filter.x.clean", evil}, {"diff.x.textconv", evil}, {"core.hooksPath", filepath.Join(r.root, "hooks")}, {"core.editor", evil},
		{"gpg.program", evil}, {"commit.gpgSign", "true"},
	} {
		gitOut(r, "config", kv[0], kv[1])
	}
	r.write(".gitattributes", "* filter=x diff=x\n")
	for _, hook := range []string{"pre-commit", "post-commit", "post-index-change", "reference-transaction", "commit-msg"} {
		r.write("hooks/"+hook, "#!/bin/sh\necho sprung >> "+trap+"\n")
		if err := os.Chmod(filepath.Join(r.root, "hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if got := r.read("sprung"); got != "" {
		t.Errorf("the repository ran code: %d times", strings.Count(got, "sprung"))
	}
	for _, res := range r.results() {
		if res.Status != "ok" {
			t.Errorf("%s (%s): %s: %s", res.Tool, res.Title, res.Status, res.Body)
		}
	}
	r.verify()
}

// TestGitWorksInTheSandbox: the calls that replace, make and remove files and
// folders do so, also beside the workspace, and also what is a protected name.
func TestGitWorksInTheSandbox(t *testing.T) {
	commands := []string{
		"git checkout -- a.txt", "git checkout -b side", "git checkout main", "git worktree add ../wt -b w", "git worktree remove ../wt",
		"git mv a.txt z.txt", "git commit -q -m moved", "git reset --hard HEAD~1", "git checkout old", "git switch main",
		"echo more >> a.txt", "git stash", "git stash pop", "git restore a.txt", "git branch -D side", "git rm -q --cached a.txt", "git fetch far", "git push far main:main",
	}
	var calls []call
	for _, c := range commands {
		calls = append(calls, call{"execute_command", map[string]any{"command": c}})
	}
	r := newRig(t, []step{{Say: "all of it", Calls: calls}, {Say: "done"}}, nil)
	r.person = yes
	prepare(r)
	gitOut(r, "branch", "old")
	r.write(".github/workflows/ci.yml", "on: push\n")
	gitOut(r, "add", "-A")
	gitOut(r, "commit", "-q", "-m", "with a workflow")
	gitOut(r, "init", "-q", "--bare", filepath.Join(r.home, "far.git"))
	gitOut(r, "remote", "add", "far", filepath.Join(r.home, "far.git"))
	r.write("a.txt", "changed\n")
	r.start("")
	r.turn("go")
	r.stop()
	for i, res := range r.results() {
		// A worktree right below the home folder cannot be removed: that would
		// take writing the home folder.
		if want := map[bool]string{true: "ok", false: "error"}[commands[i] != "git worktree remove ../wt"]; res.Status != want {
			t.Errorf("%s: %s: %s", commands[i], res.Status, res.Body)
		}
	}
}

// TestGitAtGradeB: where nothing can be mounted, git still works by itself, and
// git inside a longer command says plainly what does not come of it.
func TestGitAtGradeB(t *testing.T) {
	r := newRig(t, []step{
		{Say: "all of it", Calls: []call{
			{"git_status", map[string]any{}},
			{"git_stage", map[string]any{"paths": []string{"a.txt"}}},
			{"git_commit", map[string]any{"message": "one"}},
			{"execute_command", map[string]any{"command": "git log --format=%s -1"}},
			{"execute_command", map[string]any{"command": "echo new > n.txt && git add n.txt && git commit -q -m inside && git log --format=%s -1"}},
			{"execute_command", map[string]any{"command": "true", "hosts": []string{"a.example.org"}}},
		}},
		{Say: "done"},
	}, nil)
	r.person, r.bubblewrap = yes, []string{}
	prepare(r)
	r.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch "+filepath.Join(r.root, "sprung")+"\n")
	if err := os.Chmod(filepath.Join(r.root, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.start("")
	if g := r.opts.World.Grade(); g != "B" {
		t.Skipf("grade %s: this kernel has no Landlock 4", g)
	}
	r.turn("go")
	r.stop()
	results := r.results()
	for i, res := range results[:5] {
		if res.Status != "ok" {
			t.Errorf("%d %s: %s: %s", i, res.Tool, res.Status, res.Body)
		}
	}
	if head := strings.TrimSpace(gitOut(r, "log", "--format=%s", "-1")); head != "one" {
		t.Errorf("HEAD is %q", head)
	}
	if got := r.read("n.txt"); got != "new\n" {
		t.Errorf("n.txt holds %q", got)
	}
	if body := results[4].Body; !strings.Contains(body, "call git by itself") || strings.Count(body, "\n") > 8 {
		t.Errorf("the compound: %s", body)
	}
	if body := results[5].Body; results[5].Status == "ok" || !strings.Contains(body, "grade B") {
		t.Errorf("hosts: %s: %s", results[5].Status, body)
	}
	if r.read("sprung") != "" {
		t.Error("the repository's hook ran")
	}
}
