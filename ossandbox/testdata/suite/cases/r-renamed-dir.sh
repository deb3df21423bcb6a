#!/bin/sh
# kind: escape
# holds: a hidden file of a folder's name stays hidden when the folder is renamed
# pre: mkdir -p "$WS/.kube"; cp "$WS/.env" "$WS/.kube/config"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "mv .kube k" || true
. "$(dirname "$0")/facts.sh"
echo RAN
cat .kube/config k/config k/*; true
