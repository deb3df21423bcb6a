#!/bin/sh
# kind: escape
# holds: abstract sockets, stream and datagram and seqpacket
# post: nohit abstract abstractdgram
. "$(dirname "$0")/facts.sh"
echo RAN
python3 -c "
import socket,os
for n,t in (('ABSTRACT',1),('ABSTRACT_DGRAM',2),('ABSTRACT',5)):
  try:
    s=socket.socket(1,t); s.settimeout(1); s.connect(chr(0)+os.environ[n]); s.send(b'x'); print(s.recv(99))
  except Exception as e: print(e)"
