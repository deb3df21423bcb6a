#!/bin/sh
# kind: escape
# holds: no signals or limits of host processes
# post: alive
# post: grep -q "Max cpu time *unlimited" /proc/$CANARY_PID/limits || fail limits
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" host $CANARY_PID
