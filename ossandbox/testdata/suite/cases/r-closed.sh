#!/bin/sh
# kind: escape
# holds: a folder that an earlier command closed hides no secret from the look at the workspace
# pre: mkdir -p "$WS/conf" "$WS/only"; echo "A=$TOK_DOTENV" | tee "$WS/conf/.env" > "$WS/only/.env"
# pre: cd "$WS"; w=$(echo "$SANDBOX_CMD" | sed "s#{WS}#$WS#g"); HOME=$HOME_DIR $w sh -c "chmod 000 conf; chmod 300 only"
. "$(dirname "$0")/facts.sh"
echo RAN
chmod 700 conf only 2>/dev/null; cat conf/.env only/.env; true
