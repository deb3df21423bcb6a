#!/bin/sh
# kind: escape
# holds: no setuid files stay
# post: [ -z "$(find "$WS" -perm /6000 -type f)" ] || fail suid $(find "$WS" -perm /6000 -type f)
. "$(dirname "$0")/facts.sh"
echo RAN
"$T/bin/fx" suid; ls -l s?
