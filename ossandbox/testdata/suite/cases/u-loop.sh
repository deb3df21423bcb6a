#!/bin/sh
# kind: use
# holds: loopback in all forms
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
python3 - <<X
import socket,threading,http.server,urllib.request,os
s=http.server.ThreadingHTTPServer(("127.0.0.1",0),http.server.SimpleHTTPRequestHandler); threading.Thread(target=s.serve_forever,daemon=True).start()
assert urllib.request.urlopen("http://127.0.0.1:%d/README.md"%s.server_port).read()==b"hello\\n"
assert urllib.request.urlopen("http://localhost:%d/README.md"%s.server_port).status==200
l=socket.socket(socket.AF_INET6); l.bind(("::1",0)); l.listen(); socket.create_connection(("::1",l.getsockname()[1]))
u=socket.socket(2,2); u.bind(("127.0.0.1",0)); v=socket.socket(2,2); v.sendto(b"x",u.getsockname()); assert u.recv(1)==b"x"
l=socket.socket(); l.bind(("0.0.0.0",0)); l.listen(); socket.create_connection(("127.0.0.1",l.getsockname()[1]))
l=socket.socket(); l.bind(("",8080)); l.listen()
import asyncio; asyncio.run(asyncio.sleep(0)); assert socket.gethostbyname("localhost")=="127.0.0.1"; print(socket.getaddrinfo("localhost",80)); socket.gethostname(); print(socket.if_nameindex())
X
