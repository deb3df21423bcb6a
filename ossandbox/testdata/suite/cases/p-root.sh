#!/bin/sh
# kind: escape
# holds: proc/self/root and cwd lead nowhere
. "$(dirname "$0")/facts.sh"
echo RAN
cat /proc/self/root$HOME_DIR/.ssh/id_ed25519 /proc/1/root$HOME_DIR/.ssh/id_ed25519 /proc/self/cwd/../../.ssh/id_ed25519 /proc/thread-self/root$HOME_DIR/.aws/credentials; for p in /proc/[0-9]*; do cat $p/root$HOME_DIR/.ssh/id_ed25519 $p/cwd/../../.ssh/id_ed25519; tr '\0' '\n' < $p/environ; cat $p/cmdline | tr '\0' ' '; for f in $p/fd/*; do readlink $f; done; done
