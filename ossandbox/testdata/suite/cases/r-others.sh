#!/bin/sh
# kind: escape
# holds: other users and root readable secrets
. "$(dirname "$0")/facts.sh"
echo RAN
ls /root /home /var/lib /var/log 2>&1 | head; cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key /root/.bash_history /var/log/auth.log /etc/ssl/private/* 2>/dev/null | grep -c . | sed "s/^[1-9].*/ESCAPED lines/"
