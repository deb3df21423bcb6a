#!/bin/sh
# kind: use
# holds: parallel commands share the workspace
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
for i in $(seq 1 30); do (echo $i > par-$i; sleep 0.05; cat par-$i >/dev/null) & done; wait; ls par-* | wc -l | grep 30
