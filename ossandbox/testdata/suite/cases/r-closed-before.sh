#!/bin/sh
# kind: escape
# holds: a folder that the person has closed stays closed
# pre: mkdir -p "$WS/conf"; echo "A=$TOK_DOTENV" > "$WS/conf/.env"; [ $(id -u) = 0 ] || chmod 000 "$WS/conf"
# post: chmod 700 "$WS/conf"; true
. "$(dirname "$0")/facts.sh"
echo RAN
chmod 700 conf; cat conf/.env; mv conf c2; cat c2/.env; true
