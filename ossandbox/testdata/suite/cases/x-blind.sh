#!/bin/sh
# kind: escape
# holds: closing the workspace does not blind the look after the command
# post: [ -x "$WS" ] && [ -x "$WS/.git" ] || fail "the workspace is closed"
# post: absent "$WS/.CLAUDE"
# post: out "a new repository"
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p .CLAUDE q; echo x > .CLAUDE/settings.json; git init -q q/r; chmod 000 q; chmod 000 .git; chmod 000 .; true
