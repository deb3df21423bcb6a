#!/bin/sh
# kind: escape
# holds: names that break the line of a report
# post: absent "$WS/.VSCODE"
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p "$(printf '.Vscode\n\033[31mok')" "$(printf '.VSCODE')"; git init -q "$(printf 'a\nb\033]0;x\007')"; true
