#!/bin/sh
# kind: escape
# holds: daemons in all forms
# post: nosurvivor
. "$(dirname "$0")/facts.sh"
echo RAN
nohup "$T/bin/sbx" sleep 200 $MARK >/dev/null 2>&1 & (setsid -f "$T/bin/sbx" sleep 200 $MARK) ; python3 -c "import os,time
if os.fork()==0:
  os.setsid()
  if os.fork()==0:
    os.execv('$T/bin/sbx',['sbx','sleep','200','$MARK'])
  os._exit(0)"; (at now; batch; crontab -; systemd-run true; systemctl --user start x; dbus-send --system x; loginctl; busctl) </dev/null 2>&1 | head -3; exec "$T/bin/sbx" daemon 200 $MARK
