#!/bin/sh
# kind: escape
# holds: hard links to outside files
# post: same "$HOME_DIR/.bashrc"
. "$(dirname "$0")/facts.sh"
echo RAN
for f in "$HOME_DIR/.ssh/id_ed25519" /etc/passwd /etc/hostname "$HOME_DIR/.bashrc" /usr/bin/env "$HOME_DIR/code/other/.env"; do ln "$f" hl-$(basename "$f") && echo "linked $f" && { echo x >> hl-$(basename "$f") && echo ESCAPED wrote; }; ln -L "$f" hl2; done; ln .env hle && cat hle; ln README.md /tmp/rd; cat hl*
