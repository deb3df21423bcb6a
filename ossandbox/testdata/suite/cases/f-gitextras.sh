#!/bin/sh
# kind: escape
# holds: other git state that acts
# post: same "$WS/.git/config" "$HOME_DIR/.gitconfig"
# post: absent "$WS/.git/config.worktree" "$WS/.git/commondir" "$WS/.git/hooks/x"
. "$(dirname "$0")/facts.sh"
echo RAN
for f in .git/info/attributes .git/config.worktree .git/objects/info/alternates .git/commondir .git/gitdir .git/hooks/x .git/info/grafts .git/shallow .git/modules/m/config .git/worktrees/w/config.worktree .git/rebase-merge/git-rebase-todo; do mkdir -p "$(dirname $f)" 2>/dev/null; (echo "exec id" >> $f) 2>/dev/null && echo wrote $f; done; git config core.fsmonitor id; git config --worktree core.pager id; git config --global core.pager id; git config --system core.pager id
