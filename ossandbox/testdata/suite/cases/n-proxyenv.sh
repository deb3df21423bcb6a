#!/bin/sh
# kind: escape
# holds: no proxy without a grant
. "$(dirname "$0")/facts.sh"
echo RAN
env | grep -i proxy; ls -la /run; python3 -c "import socket; s=socket.socket(); s.settimeout(1); s.connect(('127.0.0.1',3128)); print('ESCAPED')"; true
