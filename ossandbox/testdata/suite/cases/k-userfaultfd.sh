#!/bin/sh
# kind: escape
# holds: no userfaultfd
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" userfaultfd
