#!/bin/sh
# kind: escape
# holds: a pipe for a list of a rebase does not keep the look waiting
# timeout: 60
# post: [ -d "$WS/.git" ] || fail gone
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p .git/rebase-merge; mkfifo .git/rebase-merge/git-rebase-todo; true
