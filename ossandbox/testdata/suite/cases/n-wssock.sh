#!/bin/sh
# kind: escape
# holds: a host socket that lies in the workspace before the start
# pre: mkdir -p "$WS/d"; (cd "$WS"; timeout 20 python3 -c "import socket,time; s=socket.socket(1); s.bind('host.sock'); s.listen(); q=socket.socket(1); q.bind('d/h.sock'); q.listen(); time.sleep(15)" >/dev/null 2>&1 & ) ; sleep 1
. "$(dirname "$0")/facts.sh"
echo RAN
python3 -c "
import socket
for p in ('host.sock','d/h.sock'):
  try:
    s=socket.socket(1); s.connect(p); print('ESCAPED',p)
  except Exception as e: print(e)"
