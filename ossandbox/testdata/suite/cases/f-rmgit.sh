#!/bin/sh
# kind: escape
# holds: the whole repository removed and made anew
# post: same "$WS/.git/config"
# post: absent "$WS/.git/hooks/pre-commit"
. "$(dirname "$0")/facts.sh"
echo RAN
rm -rf .git 2>/dev/null; mv .git .g2 2>/dev/null; git init -q . 2>/dev/null; echo '[core] fsmonitor=id' > .git/config; mkdir -p .git/hooks; echo id > .git/hooks/pre-commit; true
