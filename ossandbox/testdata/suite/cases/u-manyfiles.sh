#!/bin/sh
# kind: use
# holds: use: thousands of files
# want-exit: 0
# timeout: 100
. "$(dirname "$0")/facts.sh"
set -e
mkdir m; cd m; seq 1 20000 | xargs touch; ls | wc -l | grep -q 20000; cd ..; rm -rf m
