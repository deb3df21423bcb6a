#!/bin/sh
# kind: escape
# holds: no modules
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" module
