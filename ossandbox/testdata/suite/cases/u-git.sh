#!/bin/sh
# kind: use
# holds: git everyday work in the repository
# post: git -C "$WS" fsck 2>&1 | grep -v dangling | grep . && fail fsck; true
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
git checkout -q -b t; echo 1 >> README.md; git commit -qam c1; git tag v1; git stash list; echo 2 >> README.md; git stash -q; git stash pop -q; git commit -qam c2; git rebase -q HEAD~1; git merge -q --no-edit HEAD; git log --oneline | cat; git worktree list; git blame README.md >/dev/null; git grep hello; git diff HEAD~1 --stat | cat; git config user.name; git gc -q; git clean -n; git mv README.md R2; git commit -qm mv; git show --stat | cat; git rev-parse HEAD; git apply --check /dev/null 2>/dev/null || true; git init -q sub1; git config --global user.email; git branch -d nosuch 2>/dev/null || true; git checkout -q -b t2; git reset -q --soft HEAD~1; git reset -q --hard; git cherry-pick --quit; git notes add -m n; git describe --tags; git format-patch -1 --stdout >/dev/null; git archive HEAD | tar t >/dev/null; git bundle create b.bdl HEAD 2>/dev/null; git fsck 2>/dev/null
