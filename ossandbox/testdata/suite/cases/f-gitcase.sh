#!/bin/sh
# kind: escape
# holds: case variants of .git
# post: for n in .GIT .Git .gIt .VSCODE .CLAUDE; do absent "$WS/$n/config" "$WS/$n/hooks/pre-commit" "$WS/$n/tasks.json" "$WS/$n/settings.json"; done
. "$(dirname "$0")/facts.sh"
echo RAN
for n in .GIT .Git .gIt; do mkdir -p $n/hooks; echo "[core]" > $n/config; echo x > $n/hooks/pre-commit; done; mkdir -p .Vscode .VSCODE .CLAUDE; echo x > .VSCODE/tasks.json; echo x > .CLAUDE/settings.json; ls -a
