#!/bin/sh
# kind: use
# holds: use: git over all it does
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
echo a > n; git add n; git commit -qm n; git branch b; git checkout -q b; git mv n o; git commit -qam o; git tag t; git stash list; git log --oneline | wc -l; git checkout -q -; git merge -q b; git diff HEAD~1 --stat
