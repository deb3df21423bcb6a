#!/bin/sh
# kind: escape
# holds: no odd sockets
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" socks
