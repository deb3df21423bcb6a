#!/bin/sh
# kind: use
# holds: exit 255
# want-exit: 255
. "$(dirname "$0")/facts.sh"
set -e
exit 255
