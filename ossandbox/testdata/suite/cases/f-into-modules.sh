#!/bin/sh
# kind: escape
# holds: a hidden file does not show by being moved where nobody looks
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR timeout 60 $w sh -c "mkdir -p node_modules vendor; mv z node_modules/z || mv z vendor/z" || true
. "$(dirname "$0")/facts.sh"
echo RAN
cat node_modules/z/.env vendor/z/.env .venv/z/.env target/z/.env 2>/dev/null; find . -name .env -exec cat {} +; true
