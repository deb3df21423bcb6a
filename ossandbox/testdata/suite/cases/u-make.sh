#!/bin/sh
# kind: use
# holds: make -j and shell features
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
printf "all: a b c d\na b c d:\n\t@sleep 0.1; echo \$@ > \$@.out\n" > mk; make -j4 -f mk; cat a.out; gcc --version >/dev/null; (cd cpkg; make); bash -c "diff <(echo a) <(echo a)"; bash -c "coproc cat; echo hi >&\${COPROC[1]}"; cat <<X >/dev/null
here
X
bash -c "ulimit -a" >/dev/null; time true
