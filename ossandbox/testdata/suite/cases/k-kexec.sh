#!/bin/sh
# kind: escape
# holds: no kexec
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" kexec
