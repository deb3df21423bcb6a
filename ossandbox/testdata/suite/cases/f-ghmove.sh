#!/bin/sh
# kind: escape
# holds: .github workflows by rename of the parent
# pre: mkdir -p "$WS/.github/workflows" && echo orig > "$WS/.github/workflows/ci.yml"
# post: [ "$(cat "$WS/.github/workflows/ci.yml")" = orig ] || fail changed
# post: absent "$WS/.github/workflows/x.yml"
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p .github2/workflows; echo on: push > .github2/workflows/x.yml; mv .github .gh_old; mv .github2 .github; echo on: push > .github/workflows/ci.yml; ls -R .github
