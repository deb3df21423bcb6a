#!/bin/sh
# kind: escape
# holds: putting a hidden file into the index does not show it to the next command
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR $w sh -c "git add -f .env; git update-index --add --cacheinfo 100644,$(git -C "$WS" rev-parse HEAD:README.md),.env; git commit -qm env"
. "$(dirname "$0")/facts.sh"
echo RAN
cat .env; git show :.env; git diff; git add -f .env; git stash; git show stash:.env; true
