#!/bin/sh
# kind: escape
# holds: a pipe in the place of the index does not hold up the next command
# timeout: 60
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "rm -f .git/index; mkfifo .git/index"
. "$(dirname "$0")/facts.sh"
echo RAN
echo fine
