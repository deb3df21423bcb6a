#!/bin/sh
# kind: escape
# holds: link chains
# post: same "$HOME_DIR/.bashrc"
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p a/b; ln -s ../../.. a/b/up; ln -s a/b/up/../.. q; cat q/.ssh/id_ed25519 a/b/up/.ssh/id_ed25519; ln -s /proc/self/root pr; cat pr$HOME_DIR/.ssh/id_ed25519; echo bad > pr$HOME_DIR/.bashrc; ln -s /proc/self/fd fd; cat fd/../root$HOME_DIR/.netrc
