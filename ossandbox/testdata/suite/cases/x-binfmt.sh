#!/bin/sh
# kind: escape
# holds: kernel helpers
. "$(dirname "$0")/facts.sh"
echo RAN
(echo ":x:M::x::/bin/sh:" > /proc/sys/fs/binfmt_misc/register) && echo ESCAPED; ulimit -c unlimited; sh -c "kill -SEGV \$\$"; ls core* 2>/dev/null && echo ESCAPED core; true
