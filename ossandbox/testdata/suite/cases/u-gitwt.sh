#!/bin/sh
# kind: use
# holds: git in a linked worktree
# cwd: WT
# post: [ "$(git -C "$HOME_DIR/code/wt" log --format=%s -1)" = z ] || fail commit
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
echo z > z; git add z; git commit -qm z; git log --oneline | cat; git branch; git status --short; git checkout -q -b nn; git stash list; git tag wt1; git rebase -q HEAD~1
