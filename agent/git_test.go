package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/gitsafe"
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

// TestGitHasNoPrivateFolder: what git reads and writes outside the workspace is
// the machine's own, below /tmp too: never_ask refuses it, a question says where
// it is, and undo that it does not reach it.
func TestGitHasNoPrivateFolder(t *testing.T) {
	beside := t.TempDir()
	victim, patch := filepath.Join(beside, "victim"), filepath.Join(beside, "x.patch")
	link := filepath.Join("sub", "link")
	commands := []string{
		"git worktree add " + victim + "/tree -b w", "git init " + victim, "git init " + link + "/made", "git apply " + patch, "git commit --allow-empty -F " + patch,
	}
	var calls []call
	for _, c := range commands {
		calls = append(calls, call{"execute_command", map[string]any{"command": c}})
	}
	rig := func(level gate.Level, calls []call) *rig {
		r := newRig(t, []step{{Say: "all of it", Calls: calls}, {Say: "done"}}, func(o *Options) { o.Level = level })
		prepare(r)
		r.write("sub/x", "")
		if err := os.Symlink(victim, filepath.Join(r.root, link)); err != nil {
			t.Fatal(err)
		}
		r.start("")
		return r
	}
	if err := errors.Join(os.Mkdir(victim, 0o755), os.WriteFile(patch, []byte("a message\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	r := rig(gate.NeverAsk, calls)
	r.turn("go")
	r.stop()
	for i, res := range r.results() {
		if res.Status != "denied" && res.Status != "blocked" {
			t.Errorf("%s: %s: %s", commands[i], res.Status, res.Body)
		}
	}
	if names, err := os.ReadDir(victim); err != nil || len(names) > 0 {
		t.Errorf("%s holds %v (%v)", victim, names, err)
	}

	r = rig(gate.AlwaysAsk, calls[1:2])
	asked := ""
	r.person = func(q event.Question) event.Answer {
		for _, l := range q.Lines {
			asked += l.Text + "\n"
		}
		return yes(q)
	}
	r.turn("go")
	kept := r.opts.Undo.Records()
	r.stop()
	if !strings.Contains(asked, "writes    "+victim+"\n") || !strings.Contains(asked, "OUTSIDE the workspace") {
		t.Errorf("asked:\n%s", asked)
	}
	if len(kept) != 1 || len(kept[0].Left) != 1 || !strings.Contains(kept[0].Left[0], victim) {
		t.Errorf("undo knows %+v", kept)
	}
}

// TestACommitOfANewFile: git does not commit what it does not know, and its
// words do not say what is to be done.
func TestACommitOfANewFile(t *testing.T) {
	both := map[string]any{"message": "two", "paths": []string{"b.txt", "new.txt"}}
	r := newRig(t, []step{
		{Say: "commit", Calls: []call{{"git_commit", both}}},
		{Say: "stage", Calls: []call{{"git_stage", map[string]any{"paths": []string{"new.txt"}}}}},
		{Say: "again", Calls: []call{{"git_commit", both}}}, {Say: "done"},
	}, nil)
	r.person = yes
	prepare(r)
	r.write("b.txt", "changed\n")
	r.write("new.txt", "new\n")
	r.start("")
	r.turn("go")
	r.stop()
	results := r.results()
	if results[0].Status != "error" || !strings.Contains(results[0].Body, "git_stage") {
		t.Errorf("%+v", results[0])
	}
	if got := gitOut(r, "show", "--format=%s", "--name-only"); results[2].Status != "ok" || got != "two\n\nb.txt\nnew.txt\n" {
		t.Errorf("committed %q: %+v", got, results[2])
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

// TestATrustedHookRunsInTheAgentsCommit: the person's word about the bytes of a
// hook holds for the agent, in the question and in the sandbox.
func TestATrustedHookRunsInTheAgentsCommit(t *testing.T) {
	commit := func(message string) step {
		return step{Say: message, Calls: []call{{"execute_command", map[string]any{"command": "git commit -q --allow-empty -m " + message}}}}
	}
	r := newRig(t, []step{commit("one"), {Say: "done"}, commit("two"), {Say: "done"}, commit("three"), {Say: "done"}}, nil)
	prepare(r)
	r.write(".git/hooks/pre-commit", "#!/bin/sh\necho ran >> ran.txt\necho x > .git/hooks/post-commit\ntest ! -e "+filepath.Join(r.home, "secret")+"\n")
	hook := filepath.Join(r.root, ".git/hooks/pre-commit")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.home, "secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var asked string
	r.person = func(q event.Question) event.Answer {
		asked = linesText(q.Lines)
		return event.Answer{Choice: event.Once}
	}
	r.start("")
	r.turn("go")
	if !strings.Contains(asked, "pre-commit was not run") || r.read("ran.txt") != "" {
		t.Errorf("before it is trusted: %q\n%s", r.read("ran.txt"), asked)
	}
	g, err := world.Git(gitsafe.Options{Root: r.root, Home: r.home, Env: os.Environ()}, r.state, nil)
	if err != nil {
		t.Fatal(err)
	}
	offers, err := g.Offers(t.Context(), r.root)
	if err != nil || len(offers) != 1 {
		t.Fatalf("%+v, %v", offers, err)
	}
	if err := world.Agreements(r.state).Add(gitsafe.Agreement{Kind: "hook", Name: "pre-commit", Digest: offers[0].Digest, Where: r.root}); err != nil {
		t.Fatal(err)
	}
	r.turn("go on")
	if !strings.Contains(asked, "pre-commit runs, as you agreed") || r.read("ran.txt") != "ran\n" {
		t.Errorf("trusted: %q\n%s", r.read("ran.txt"), asked)
	}
	r.write(".git/hooks/pre-commit", "#!/bin/sh\necho changed >> ran.txt\n")
	r.turn("go on")
	r.stop()
	if r.read("ran.txt") != "ran\n" || r.read(".git/hooks/post-commit") != "" {
		t.Errorf("a changed byte: %q, and %q", r.read("ran.txt"), r.read(".git/hooks/post-commit"))
	}
	for i, res := range r.results() {
		if res.Status != "ok" {
			t.Errorf("%d: %s: %s", i, res.Status, res.Body)
		}
	}
	r.verify()
}

// TestOtherRepositoriesRunNothing: a command may go into a repository within the
// workspace, or work in one that gitsafe refuses. Neither chooses a program,
// though nobody is asked about a command that only reads.
func TestOtherRepositoriesRunNothing(t *testing.T) {
	commands := []string{
		"cd nested && git diff", "git --no-pager -C nested diff 2>&1 | cat", "cd nested; git status", "env -C nested git diff",
		"(cd nested; git log -p -1)", "cd refused; git show", "git -C refused log -p 2>&1 | cat", "cd refused && git status; true",
	}
	var calls []call
	for _, c := range commands {
		calls = append(calls, call{"execute_command", map[string]any{"command": c}})
	}
	r := newRig(t, []step{{Say: "look", Calls: calls}, {Say: "done"}}, nil)
	for _, dir := range []string{"nested", "refused"} {
		r.write(dir+"/a.txt", "one\n")
		gitOut(r, "init", "-q", dir)
		for _, args := range [][]string{{"config", "user.name", "n"}, {"config", "user.email", "a@b"}, {"add", "a.txt"}, {"commit", "-qm", "one"},
			{"config", "core.fsmonitor", "echo SPRUNG >&2; false"}, {"config", "diff.x.command", "echo SPRUNG"}, {"config", "diff.x.textconv", "echo SPRUNG; cat"},
			{"config", "filter.x.clean", "echo SPRUNG >&2; cat"}, {"config", "diff.external", "echo SPRUNG"}} {
			gitOut(r, append([]string{"-C", dir}, args...)...)
		}
		r.write(dir+"/.gitattributes", "* diff=x filter=x\n")
		r.write(dir+"/a.txt", "two\n")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(r.root, "refused/.git/refs/heads/x")); err != nil {
		t.Fatal(err)
	}
	r.start("")
	r.turn("go")
	r.stop()
	results := r.results()
	if len(results) != len(commands) {
		t.Fatalf("%d results", len(results))
	}
	for i, res := range results {
		if strings.Contains(res.Body, "SPRUNG") {
			t.Errorf("%s: the repository ran code: %s", commands[i], res.Body)
		}
		want := "two"
		switch {
		case strings.Contains(commands[i], "refused"):
			want = "refused-by-tera-pilot"
		case strings.Contains(commands[i], "status"):
			want = "a.txt"
		case strings.Contains(commands[i], "log"):
			want = "one"
		}
		if !strings.Contains(res.Body, want) {
			t.Errorf("%s: no %q in %s %s", commands[i], want, res.Status, res.Body)
		}
	}
	r.verify()
}
