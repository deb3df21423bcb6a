#!/bin/sh
# kind: escape
# holds: ipv6 loopback of the host
# post: nohit tcp tcp6 lan
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<X
import socket,os
for h,p in (("::1",os.environ["TCP6_PORT"]),("::ffff:127.0.0.1",os.environ["TCP_PORT"]),(os.environ.get("HOST_IP") or "127.0.0.1",os.environ.get("LAN_PORT") or "1")):
  for ty in (1,):
    try:
      s=socket.socket(socket.AF_INET6 if ":" in h else 2,ty,262 if 0 else 0); s.settimeout(2); s.connect((h,int(p))); print(s.recv(100))
    except Exception as e: print(e)
X
