#!/bin/sh
# kind: use
# holds: read-only and odd files
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
chmod 444 README.md; [ -r README.md ]; chmod 644 README.md; touch -- "a b" "é" "$(printf "n\nl")" ":c" "\\b"; rm -- "a b" "é" "$(printf "n\nl")" ":c" "\\b"; mkdir -p $(python3 -c "print('/'.join(['d'*200]*15))"); rm -rf dddd*; truncate -s 1G big; rm big; umask; mkdir -m 700 pp; cp -a README.md pp/; tar cf x.tar pp; tar xf x.tar; ln -s nowhere dl; cp -r --reflink=auto pp pp2; mv pp2 /tmp/; mv /tmp/pp2 pp3; rsync --version >/dev/null 2>&1 || true; install -m 755 README.md ins; sed -i s/hello/hi/ README.md; dd if=/dev/zero of=f bs=1M count=50 conv=fsync 2>/dev/null; sync f; chown $(id -u):$(id -g) f
