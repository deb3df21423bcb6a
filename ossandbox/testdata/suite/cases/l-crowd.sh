#!/bin/sh
# kind: escape
# holds: nor by a crowd of files in front of it
# timeout: 200
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "mkdir -p zz; cd zz; seq 1 60000 | xargs touch"
. "$(dirname "$0")/facts.sh"
echo RAN
cat z/.env; true
