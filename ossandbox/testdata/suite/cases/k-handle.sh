#!/bin/sh
# kind: escape
# holds: no file handles
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" handle
