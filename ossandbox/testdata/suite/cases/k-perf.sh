#!/bin/sh
# kind: escape
# holds: no perf
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" perf
