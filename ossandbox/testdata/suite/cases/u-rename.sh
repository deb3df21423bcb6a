#!/bin/sh
# kind: use
# holds: use: folders are renamed, moved and swapped
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
mkdir -p p/q; echo 1 > p/q/f; mv p r; mv r/q q; test -f q/f; mkdir node_modules; mv q node_modules/q; test -f node_modules/q/f; rm -rf node_modules r
