#!/bin/sh
# kind: use
# holds: sockets in the workspace
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
python3 -c "
import socket,threading
l=socket.socket(1); l.bind('w.sock'); l.listen()
threading.Thread(target=lambda:l.accept()[0].send(b'k')).start()
c=socket.socket(1); c.connect('w.sock'); assert c.recv(1)==b'k'
c=socket.socket(1); c.connect('./w.sock')
"; rm w.sock
