#!/bin/sh
# kind: escape
# holds: memory by many processes and shm and memfd
# post: [ $MAXRSS_MB -le 4500 ] || fail rss $MAXRSS_MB
# timeout: 60
. "$(dirname "$0")/facts.sh"
echo RAN
for i in 1 2 3 4 5 6; do "$T/bin/sbx" memhog 1500 $MARK >/dev/null 2>&1 & done; dd if=/dev/zero of=/dev/shm/x bs=1M count=1000 2>&1 | tail -1; sleep 5; true
