#!/bin/sh
# kind: escape
# holds: fork bomb by python threads and processes
# post: [ $MAXPROCS -le 1024 ] || fail procs $MAXPROCS
# post: nosurvivor
# timeout: 60
. "$(dirname "$0")/facts.sh"
echo RAN
python3 - <<X &
import os,sys,time,threading
n=0
try:
  for i in range(5000):
    if os.fork()==0:
      os.execv("$T/bin/sbx",["sbx","sleep","20","$MARK"])
    n+=1
except Exception as e: print("stopped",n,e)
time.sleep(2)
X
sleep 6; exit 0
