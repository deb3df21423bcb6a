#!/bin/sh
# kind: escape
# holds: nor does a submodule
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "git init -q z; cd z; git commit -q --allow-empty -m x; cd ..; git update-index --add --cacheinfo 160000,\$(git -C z rev-parse HEAD),z"
. "$(dirname "$0")/facts.sh"
echo RAN
cat z/.env; true
