#!/bin/sh
# kind: escape
# holds: pipes for .gitignore, .gitmodules, AGENTS.md and the secrets' names
# timeout: 60
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "rm -f .gitignore; mkfifo .gitignore .gitmodules AGENTS.md id_rsa a.pem package.json .npmrc .envrc" || true
. "$(dirname "$0")/facts.sh"
echo RAN
echo fine
