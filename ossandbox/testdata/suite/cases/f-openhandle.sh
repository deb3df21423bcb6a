#!/bin/sh
# kind: escape
# holds: a folder held open while it is moved out
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<'E'
import os
d=os.open('.',os.O_RDONLY)
for p in ('..','../..','../other/.env'):
    try:
        f=os.open(p,os.O_RDONLY,dir_fd=d); print(os.listdir(f) if os.path.isdir(p) else 'ESCAPED '+p)
    except Exception as e: print(e)
E
true
