#!/bin/sh
# kind: escape
# holds: what the parent's descriptors tell
. "$(dirname "$0")/facts.sh"
echo RAN
ls -l /proc/*/fd /proc/*/fdinfo 2>/dev/null | grep -v ' [0-2] ->' | head; cat /proc/1/environ /proc/1/cmdline 2>/dev/null | tr '\0' '\n' | grep -i 'tpsec\|key'; cat /proc/*/maps 2>/dev/null | grep -c x; true
