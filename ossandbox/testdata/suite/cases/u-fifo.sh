#!/bin/sh
# kind: use
# holds: use: pipes in the workspace
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
mkfifo p; (echo hi > p) & read x < p; [ "$x" = hi ]; rm p
