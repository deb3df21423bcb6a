#!/bin/sh
# kind: use
# holds: signals and codes: 130 is passed
# want-exit: 130
. "$(dirname "$0")/facts.sh"
set -e
kill -INT $$
