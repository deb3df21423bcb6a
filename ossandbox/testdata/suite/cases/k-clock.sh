#!/bin/sh
# kind: escape
# holds: no clock and host changes
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" clock
