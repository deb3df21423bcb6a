#!/bin/sh
# kind: escape
# holds: setgid folders and sticky files
# post: [ -z "$(find "$WS" -perm /6000 -type f 2>/dev/null)" ] || fail setuid
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir d; chmod 2777 d; chmod 1777 d; touch s; chmod u+s,g+s s; install -m 4755 /bin/true t; cp --preserve=mode t u 2>/dev/null; true
