#!/bin/sh
# kind: escape
# holds: hooks of the main repository from a linked worktree
# cwd: WT
# post: same "$HOME_DIR/code/main/.git/config" "$HOME_DIR/code/wt/.git" "$HOME_DIR/code/main/.git/worktrees/wt/commondir" "$HOME_DIR/code/main/f"
# post: absent "$HOME_DIR/code/main/.git/hooks/pre-commit" "$HOME_DIR/code/main/zzz"
. "$(dirname "$0")/facts.sh"
echo RAN
g=$(git rev-parse --git-common-dir); echo $g; printf "#!/bin/sh\n" > $g/hooks/pre-commit; echo "[core]" >> $g/config; echo x > $g/worktrees/wt/config.worktree; echo "gitdir: /tmp" > .git; echo /tmp > $g/worktrees/wt/commondir; mkdir $g/../zzz; echo x > $g/../f
