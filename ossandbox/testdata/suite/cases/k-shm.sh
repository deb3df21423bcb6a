#!/bin/sh
# kind: escape
# holds: host SysV shared memory
# pre: "$BIN/fx" shmput 77712 $TOK_SHM >/dev/null
# post: "$BIN/fx" shmdel 77712
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" shm 77712
