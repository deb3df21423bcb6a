#!/bin/sh
# kind: use
# holds: symlinked workspace
# cwd: WSLINK
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
pwd; pwd -P; echo x > a; [ -f "$PWD/a" ]; git status --short | head -3; ls ../wslink/a || true
