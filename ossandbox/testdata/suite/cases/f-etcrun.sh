#!/bin/sh
# kind: escape
# holds: no writes to etc, run, var, opt, usr
# post: absent /etc/sbxw-$TMPNAME /run/sbxw-$TMPNAME /var/sbxw-$TMPNAME /opt/sbxw-$TMPNAME /usr/sbxw-$TMPNAME /usr/local/bin/sbxw-$TMPNAME /etc/cron.d/sbxw-$TMPNAME /root/sbxw-$TMPNAME /home/sbxw-$TMPNAME /etc/ld.so.preload
. "$(dirname "$0")/facts.sh"
echo RAN
for d in /etc /run /var /var/run /opt /usr /usr/local/bin /lib /boot /srv /mnt /media /var/spool/cron /var/lib /etc/cron.d /etc/profile.d /etc/ld.so.conf.d /root /home; do n=$d/sbxw-$TMPNAME; (echo x > $n) 2>/dev/null && echo wrote $n; done; echo x > /etc/ld.so.preload; true
