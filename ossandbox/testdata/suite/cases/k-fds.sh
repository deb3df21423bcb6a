#!/bin/sh
# kind: escape
# holds: none
# fds: yes
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" fds
