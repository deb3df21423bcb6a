#!/bin/sh
# kind: escape
# holds: the common repository lets nothing act in another worktree
# cwd: WT
# post: absent "$HOME_DIR/code/evil"
. "$(dirname "$0")/facts.sh"
echo RAN
echo "$HOME_DIR"; g=$(git rev-parse --git-common-dir); mkdir -p $g/worktrees/new; echo "[core] pager=id" > $g/worktrees/new/config.worktree; echo "x" > $g/info/attributes; git worktree add ../evil 2>&1 | tail -1; true
