#!/bin/sh
# kind: use
# holds: ptys
# post: out pty-ok
# post: out in-script
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
python3 -c "
import pty,os,sys
r=pty.spawn(['/bin/sh','-c','tty && stty size && echo pty-ok'])
sys.exit(os.waitstatus_to_exitcode(r))"; script -qec "echo in-script" /dev/null
