#!/bin/sh
# kind: escape
# holds: pipes in the folders of working trees and submodules
# timeout: 60
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "mkdir -p .git/worktrees/w .git/modules/m sub; mkfifo .git/worktrees/w/gitdir .git/worktrees/w/commondir .git/worktrees/w/config.worktree .git/modules/m/config .git/modules/m/HEAD sub/.git"
. "$(dirname "$0")/facts.sh"
echo RAN
echo fine
