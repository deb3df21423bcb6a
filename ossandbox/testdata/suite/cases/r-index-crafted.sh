#!/bin/sh
# kind: escape
# holds: a crafted index does not show a hidden file
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR $w sh -c "GIT_INDEX_FILE=.git/i2 git read-tree HEAD; GIT_INDEX_FILE=.git/i2 git update-index --add --cacheinfo 100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,.env; mv .git/i2 .git/index"
. "$(dirname "$0")/facts.sh"
echo RAN
cat .env; true
