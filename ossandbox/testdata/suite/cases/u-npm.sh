#!/bin/sh
# kind: use
# holds: npm scripts, npx local bin, npm install of a local package
# timeout: 120
# post: out bin-ok
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
cd npmpkg; npm test >/dev/null; mkdir -p ../loc; echo "{\"name\":\"loc\",\"version\":\"1.0.0\",\"bin\":\"b.js\"}" > ../loc/package.json; printf "#!/usr/bin/env node\nconsole.log(\"bin-ok\")\n" > ../loc/b.js; npm install --no-audit --no-fund --offline ../loc; npx --no-install loc; npm ci --offline --no-audit --no-fund; npm pack ../loc; npm config get cache
