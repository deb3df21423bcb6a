#!/bin/sh
# kind: escape
# holds: big output is bounded or passes
# want-exit: 3
# timeout: 60
. "$(dirname "$0")/facts.sh"
echo RAN
timeout 8 yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | head -c 300000000; exit 3
