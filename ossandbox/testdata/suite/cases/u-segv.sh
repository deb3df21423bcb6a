#!/bin/sh
# kind: use
# holds: segv is 139
# want-exit: 139
. "$(dirname "$0")/facts.sh"
set -e
kill -SEGV $$
