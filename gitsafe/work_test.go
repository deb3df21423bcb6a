package gitsafe

import (
	"os"
	"strings"
	"testing"
)

// TestContinue: operations that stop at a conflict are finished or given up.
func TestContinue(t *testing.T) {
	for start, ends := range map[string][]string{
		"merge feature":       {"merge --continue", "commit", "merge --abort"},
		"cherry-pick feature": {"cherry-pick --continue", "commit", "cherry-pick --abort", "cherry-pick --skip"},
		"rebase feature":      {"rebase --continue", "rebase --abort", "rebase --skip"},
		"revert HEAD~2":       {"revert --continue", "revert --abort"},
	} {
		for _, end := range ends {
			t.Run(start+", "+end, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				layMerge(func(*lab) {}, "")(l)
				if start == "revert HEAD~2" {
					l.write("repo/a.txt", "NNN\n")
					l.commit("more of a")
				}
				r, err := l.run(strings.Fields(start)...)
				if err != nil || r.Code != 1 {
					t.Fatalf("git %s: %v %s", start, err, r.Stderr)
				}
				if repo, _ := l.safeGit().locate(l.repo); repo.Operation != strings.Fields(start)[0] {
					t.Errorf("the operation that waits is %q", repo.Operation)
				}
				l.write("repo/a.txt", "resolved\n")
				if !strings.Contains(end, "abort") && !strings.Contains(end, "skip") {
					l.ok("add", "a.txt")
				}
				l.ok(strings.Fields(end)...)
				if out := l.ok("status", "--porcelain", "-uno"); out != "" {
					t.Errorf("after git %s: %s", end, out)
				}
			})
		}
	}
}

// TestKindsOfRepositories: everyday work goes on in each.
func TestKindsOfRepositories(t *testing.T) {
	work := func(t *testing.T, l *lab, dir string) {
		t.Helper()
		l.write(dir+"/w.txt", "work\n")
		for _, args := range []string{"add w.txt", "commit -m w", "checkout -b topic", "branch -vv", "log --oneline -1", "stash list", "worktree list",
			"worktree add ../extra-wt -b extra", "worktree remove ../extra-wt", "checkout -", "merge topic", "branch -d topic", "reset --hard HEAD", "rev-parse --show-toplevel"} {
			if r, err := l.in(dir, strings.Fields(args)...); err != nil || r.Code != 0 {
				t.Errorf("git %s: %v, exit %d\n%s%s", args, err, r.Code, r.Stdout, r.Stderr)
			}
		}
	}
	for name, lay := range map[string]func(l *lab) string{
		"plain": func(l *lab) string { return "repo" },
		"linked worktree": func(l *lab) string {
			l.git("worktree", "add", "-q", l.dir+"/wt", "feature")
			return "wt"
		},
		"linked worktree of a bare repository": func(l *lab) string {
			l.git("clone", "-q", "--bare", l.repo, l.dir+"/hub.git")
			l.git("--git-dir", l.dir+"/hub.git", "worktree", "add", "-q", l.dir+"/wt", "feature")
			return "wt"
		},
		"worktree inside the repository": func(l *lab) string {
			l.git("worktree", "add", "-q", l.repo+"/.trees/one", "feature")
			return "repo/.trees/one"
		},
		"submodule": func(l *lab) string {
			laySubmodule(func(*lab, string) {})(l)
			return "repo/vendor/lib"
		},
		"worktree with relative pointers": func(l *lab) string {
			l.version(2, 48)
			l.git("-c", "worktree.useRelativePaths=true", "worktree", "add", "-q", l.dir+"/wt", "feature")
			return "wt"
		},
		"sha256": func(l *lab) string {
			l.git("init", "-q", "--object-format=sha256", l.dir+"/other")
			l.git("-C", l.dir+"/other", "commit", "-q", "--allow-empty", "-m", "first")
			return "other"
		},
		"reftable": func(l *lab) string {
			l.version(2, 45)
			l.git("init", "-q", "--ref-format=reftable", l.dir+"/other")
			l.git("-C", l.dir+"/other", "commit", "-q", "--allow-empty", "-m", "first")
			return "other"
		},
		"split index, sparse checkout, untracked cache": func(l *lab) string {
			l.git("update-index", "--split-index", "--untracked-cache")
			l.git("sparse-checkout", "set", "sub")
			l.git("checkout", "-q", "--", ".")
			return "repo"
		},
		"packed": func(l *lab) string {
			l.git("pack-refs", "--all")
			l.git("repack", "-adq")
			return "repo"
		},
		"configuration of others' tools": func(l *lab) string {
			for _, k := range []string{"gitflow.branch.master", "branch.main.vscode-merge-base", "branch.main.github-pr-owner-number", "gui.geometry",
				"remote.origin.gh-resolved", "svn-remote.svn.url", "lfs.https://x/info/lfs.access", "maintenance.strategy", "magit.x", "zz.y"} {
				l.set(k, "some value")
			}
			for k, v := range map[string]string{"core.compression": "9", "http.postBuffer": "524288000", "pack.windowMemory": "100m", "gc.auto": "0", "core.sharedRepository": "group",
				"push.recurseSubmodules": "check", "merge.tool": "vimdiff", "rerere.enabled": "true", "pull.rebase": "true", "core.autocrlf": "input"} {
				l.set(k, v)
			}
			return "repo"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.git("checkout", "-q", "--", "a.txt")
			work(t, l, lay(l))
		})
	}
}

// TestManual: the page names every subcommand of the table.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../docs/git.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "## The table")
	for _, c := range table {
		first, _, _ := strings.Cut(c.name, " ")
		if !strings.Contains(list, first) {
			t.Errorf("docs/git.md does not name %s", c.name)
		}
	}
}
