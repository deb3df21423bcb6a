#!/bin/sh
# kind: escape
# holds: no terminal tricks
# tty: yes
# post: [ ! -s "$TTYOUT" ] || fail queue
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" tio
