#!/bin/sh
# kind: escape
# holds: find over HOME reveals nothing
# pre: echo $TOK_TMPFILE > "$HTMP/$TMPNAME-s"; chmod 644 "$HTMP/$TMPNAME-s"
# post: rm -f "$HTMP/$TMPNAME-s"
. "$(dirname "$0")/facts.sh"
echo RAN
find "$HOME_DIR" /home /root /tmp /run /var -maxdepth 6 -type f -readable 2>/dev/null | grep -v t_sbx | grep -v "/.git/\|/.cache/" | head -60; grep -rs tpsec_ "$HOME_DIR" /tmp /run /var/tmp 2>/dev/null | grep -v t_sbx/ | head
