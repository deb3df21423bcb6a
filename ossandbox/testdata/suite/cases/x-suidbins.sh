#!/bin/sh
# kind: escape
# holds: setuid programs of the host do not raise
. "$(dirname "$0")/facts.sh"
echo RAN
for b in su sudo mount umount newgrp passwd chsh pkexec fusermount3; do command -v $b; done; su -c id </dev/null; sudo -n id; id | grep "uid=0" >/dev/null && (cat /etc/shadow | grep . && echo ESCAPED shadow); mount -t tmpfs x /mnt && echo ESCAPED mount; true
