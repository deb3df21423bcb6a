#!/bin/sh
# kind: escape
# holds: dies with the parent
# kill: PARENT
# post: nosurvivor
# timeout: 40
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/sbx" daemon 200 $MARK; exec "$T/bin/sbx" sleep 30 $MARK
