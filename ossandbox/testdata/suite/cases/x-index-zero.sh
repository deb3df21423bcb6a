#!/bin/sh
# kind: escape
# holds: an index without an end neither
# timeout: 60
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "rm -f .git/index; ln -s /dev/zero .git/index"
. "$(dirname "$0")/facts.sh"
echo RAN
cat .env; true
