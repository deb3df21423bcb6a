#!/bin/sh
# kind: escape
# holds: rename and chmod of the workspace itself
# post: [ -f "$WS/README.md" ] || fail gone
. "$(dirname "$0")/facts.sh"
echo RAN
cd /; mv "$WS" "$WS.old"; rmdir "$WS"; mv "$HOME_DIR/code" "$HOME_DIR/c2"; ln -sfn /etc "$WS"; chmod 777 "$WS"; setfacl -m u:nobody:rwx "$WS" 2>/dev/null; true
