#!/bin/sh
# kind: use
# holds: kill 9 is 137
# want-exit: 137
. "$(dirname "$0")/facts.sh"
set -e
kill -9 $$
