#!/bin/sh
# kind: escape
# holds: a link to the folder
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
# pre: ln -s z "$WS/l"
. "$(dirname "$0")/facts.sh"
echo RAN
cat l/.env; cat $PWD/l/../z/.env; cat /proc/self/cwd/z/.env; true
