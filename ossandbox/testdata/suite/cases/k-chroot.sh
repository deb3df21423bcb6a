#!/bin/sh
# kind: escape
# holds: no chroot
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" chroot
