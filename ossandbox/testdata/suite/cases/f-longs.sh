#!/bin/sh
# kind: escape
# holds: protected names with letters that fold to theirs
# post: absent "$WS/.vſcode" "$WS/.huſky" "$WS/.mcp.jſon" "$WS/.curſor"
. "$(dirname "$0")/facts.sh"
echo RAN
for n in .vſcode .claude .huſky .mcp.jſon .curſor .GİT .gıt .ⅵm; do mkdir -p $n; echo x > $n/settings.json; done; true
