#!/bin/sh
# kind: escape
# holds: no bpf
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" bpf
