#!/bin/sh
# kind: escape
# holds: a repository made around a hidden file does not show it
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "git init -q z; cd z; git add -f .env; git update-index --add --cacheinfo 100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,.env; git commit -qm x"
. "$(dirname "$0")/facts.sh"
echo RAN
cat z/.env; git -C z show :.env; true
