#!/bin/sh
# kind: escape
# holds: mptcp, fastopen, udp, icmp, broadcast, multicast
# post: nohit tcp udp lanudp
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<X
import socket,os
def t(f):
  try: print(f())
  except Exception as e: print(e)
P=int(os.environ["TCP_PORT"]);U=int(os.environ["UDP_PORT"])
def a():
  s=socket.socket(2,1,262); s.settimeout(2); s.connect(("127.0.0.1",P)); return s.recv(99)
def b():
  s=socket.socket(2,1); s.settimeout(2); s.sendto(b"x",0x20000000,("127.0.0.1",P)); return s.recv(99)
def c():
  s=socket.socket(2,2); s.settimeout(2); s.sendto(b"x",("127.0.0.1",U)); return s.recv(99)
def d():
  s=socket.socket(2,2); s.settimeout(1); s.setsockopt(1,6,1); s.sendto(b"x",("255.255.255.255",U)); return s.recv(99)
def e():
  s=socket.socket(2,2); s.settimeout(1); s.sendto(b"x",("224.0.0.251",5353)); return "ESCAPED mdns"
def f():
  s=socket.socket(2,1); s.settimeout(1); s.connect(("169.254.169.254",80)); return "ESCAPED metadata"
def g():
  s=socket.socket(2,2,1); s.settimeout(1); s.sendto(b"\\x08\\0\\0\\0",("8.8.8.8",0)); return "ESCAPED icmp"
def h():
  s=socket.socket(2,2); s.connect(("9.9.9.9",53)); return "ESCAPED route"
[t(x) for x in (a,b,c,d,e,f,g,h)]
X
getent hosts example.com && echo ESCAPED dns; true
