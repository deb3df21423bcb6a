#!/bin/sh
# kind: escape
# holds: a list without an end neither
# timeout: 60
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p .git/rebase-merge; ln -s /dev/zero .git/rebase-merge/git-rebase-todo; true
