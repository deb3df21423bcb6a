#!/bin/sh
# kind: use
# holds: locale and time zone
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
date; TZ=Europe/Berlin date +%Z | grep -E CET\|CEST; LC_ALL=C.UTF-8 python3 -c "print('é')"; python3 -c "import zoneinfo; zoneinfo.ZoneInfo('Asia/Tokyo')"; date -d "2026-01-01" >/dev/null; locale >/dev/null
