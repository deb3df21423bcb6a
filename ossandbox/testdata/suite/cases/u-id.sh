#!/bin/sh
# kind: use
# holds: identity resolves
# post: out "[a-z]"
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
whoami; id -un; python3 -c "import pwd,os; print(pwd.getpwuid(os.getuid()).pw_dir)"; [ -n "$HOME" ]; touch "$HOME/x"; cd; pwd; hostname; getent passwd $(id -u); id -gn
