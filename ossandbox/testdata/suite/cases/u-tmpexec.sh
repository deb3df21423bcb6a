#!/bin/sh
# kind: use
# holds: tmp behaves
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
t=$(mktemp -d); printf "#!/bin/sh\necho ok" > $t/x; chmod +x $t/x; $t/x; mkfifo $t/f; [ -k /tmp ]; ls -ld /tmp /var/tmp; touch /var/tmp/a; df -m /tmp | tail -1; mktemp -p /dev/shm
