#!/bin/sh
# kind: use
# holds: other interpreters
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
perl -e "print 1"; awk "BEGIN{print 1}"; python3 -c "import ssl,ctypes,subprocess,hashlib,curses"; sh -c "command -v vim || true"; bash -lc "true"; bash -ic "true" 2>/dev/null; sqlite3 x.db "create table t(a)" ; tmux -V || true; tmux -f /dev/null new-session -d true; gdb --version >/dev/null 2>&1 || true; strace -V >/dev/null 2>&1 || true
