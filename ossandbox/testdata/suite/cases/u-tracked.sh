#!/bin/sh
# kind: use
# holds: a tracked file with a secret-like name is read and committed as it is
# pre: echo A=1 > "$WS/.env.test"; echo x > "$WS/conf.env"; git -C "$WS" add -A; git -C "$WS" -c user.name=a -c user.email=a@b commit -qm s
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
cat conf.env; echo B=2 >> .env.test; grep -q A=1 .env.test; git add -A; git commit -qm t; git show HEAD:.env.test | grep -q B=2; git diff --exit-code
