#!/bin/sh
# kind: escape
# holds: files with xattrs and caps
# post: [ -z "$(getcap "$WS/t_sbx/bin/fx" 2>/dev/null)" ] || fail cap
. "$(dirname "$0")/facts.sh"
echo RAN
setcap cap_sys_admin+ep "$T/bin/fx" 2>&1; setfattr -n security.capability -v x README.md 2>&1; setfattr -n trusted.x -v 1 README.md 2>&1;  chattr +i README.md 2>&1; true
