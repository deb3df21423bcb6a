#!/bin/sh
# kind: escape
# holds: no proxy without a grant, and none of the host's listeners in its place
# post: nohit tcp tcp6 lan
. "$(dirname "$0")/facts.sh"
echo RAN
env | grep -iE '^(http|https|ftp|all)_proxy=.' | sed 's/^/ESCAPED a proxy is named: /'
python3 - <<'E'
import os,socket
for p in [3128,8080,1080]+[int(os.environ[n]) for n in ('TCP_PORT','LAN_PORT') if os.environ.get(n)]:
    for host in ('127.0.0.1','::1',os.environ.get('HOST_IP') or '127.0.0.1'):
        try: socket.create_connection((host,p),1); print('ESCAPED',host,p)
        except OSError as e: print(host,p,e.errno)
E
true
