#!/bin/sh
# kind: escape
# holds: mount table names no secrets
. "$(dirname "$0")/facts.sh"
echo RAN
cat /proc/self/mountinfo /proc/self/mounts /proc/1/mountinfo | grep -c . ; cat /proc/keys /proc/key-users /proc/kallsyms 2>/dev/null| grep -v " 0000000000000000\|^0000000000000000" | head -3; dmesg | head -2; cat /proc/kcore | head -c 10 | od -c | head -1
