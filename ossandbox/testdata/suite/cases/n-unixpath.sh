#!/bin/sh
# kind: escape
# holds: path sockets of the host everywhere
# post: nohit sock_bus sock_docker sock_ssh sock_gpg sock_wayland sock_tmp sock_run
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<X
import socket,os,glob
for p in [v for k,v in os.environ.items() if k.startswith("SOCK_")]+["/var/run/docker.sock","/run/docker.sock","/run/dbus/system_bus_socket","/run/systemd/private","/run/containerd/containerd.sock","/tmp/.X11-unix/X0"]:
  for ty in (1,2,5):
    try:
      s=socket.socket(1,ty); s.settimeout(1); s.connect(p); print("ESCAPED",p)
    except Exception as e: pass
X
