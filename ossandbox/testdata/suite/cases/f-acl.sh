#!/bin/sh
# kind: escape
# holds: access lists that open files to others
# post: [ "$(stat -c %a "$WS/.git/config")" != 666 ] || fail mode
. "$(dirname "$0")/facts.sh"
echo RAN
setfacl -R -m u:nobody:rwX,d:u:nobody:rwX . 2>&1; chmod -R a+rwX . 2>/dev/null; true
