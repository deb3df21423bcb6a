#!/bin/sh
# kind: escape
# holds: local resolvers and caches
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import socket
for h in ('127.0.0.53','127.0.0.1','169.254.169.254','::1','fd00::1'):
    for p in (53,80,631,5353):
        try:
            f=socket.AF_INET6 if ':' in h else socket.AF_INET
            s=socket.socket(f); s.settimeout(.5); s.connect((h,p)); print('ESCAPED',h,p)
        except OSError as e: pass
E
getent hosts example.invalid; true
