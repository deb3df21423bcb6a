#!/bin/sh
# kind: escape
# holds: pipes for HEAD, refs and packed-refs
# timeout: 60
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "rm -f .git/HEAD .git/packed-refs; mkfifo .git/HEAD .git/packed-refs; rm -rf .git/refs/heads; mkfifo .git/refs/heads"
. "$(dirname "$0")/facts.sh"
echo RAN
echo fine
