#!/bin/sh
# kind: use
# holds: very deep paths
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
python3 - <<X
import os
for i in range(60): os.mkdir("e"*100); os.chdir("e"*100)
open("x","w").write("1"); print(len(os.getcwd()))
X
find e* -name x | wc -c; rm -rf eeee*
