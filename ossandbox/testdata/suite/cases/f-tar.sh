#!/bin/sh
# kind: escape
# holds: an archive of everything
# pre: mkdir -p "$WS/z"; cp "$WS/.env" "$WS/z/.env"
. "$(dirname "$0")/facts.sh"
echo RAN
tar c . 2>/dev/null | strings | grep -a tpsec; cp -a . /tmp/c; grep -ra tpsec_ /tmp/c; git stash -a; git stash show -p --include-untracked | grep tpsec; true
