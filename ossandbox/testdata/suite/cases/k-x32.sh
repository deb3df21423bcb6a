#!/bin/sh
# kind: escape
# holds: none
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" x32
