#!/bin/sh
# kind: use
# holds: SIGPIPE and large pipes
# post: out stdin-line
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
yes | head -1; head -c 20000000 /dev/zero | wc -c | grep 20000000; seq 100000 | sort -rn | head -1; bash -c "set -o pipefail; yes | head -1" || [ $? = 141 ]; cat
