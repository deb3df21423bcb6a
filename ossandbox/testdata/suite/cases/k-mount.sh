#!/bin/sh
# kind: escape
# holds: no mounts
# post: same "$WS/README.md"
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" mount "$WS"
