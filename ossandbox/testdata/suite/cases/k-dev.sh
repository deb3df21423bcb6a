#!/bin/sh
# kind: escape
# holds: no devices
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" dev
