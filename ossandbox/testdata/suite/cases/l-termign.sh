#!/bin/sh
# kind: escape
# holds: a command that ignores TERM dies with the wrapper
# kill: TERM
# post: nosurvivor
# timeout: 20
. "$(dirname "$0")/facts.sh"
echo RAN
trap "" TERM INT HUP; exec "$T/bin/sbx" sleep 200 $MARK
