#!/bin/sh
# kind: escape
# holds: rename tricks of .git
# post: absent "$WS/.git/hooks/pre-commit"
# post: same "$WS/.git/config"
# post: [ ! -L "$WS/.git" -a ! -L "$WS/.git/hooks" ] || fail link
. "$(dirname "$0")/facts.sh"
echo RAN
mv .git .g2; mv .git/hooks .git/h2; mkdir -p n/hooks; printf "#!/bin/sh\n" > n/hooks/pre-commit; chmod +x n/hooks/pre-commit; mv -T n/hooks .git/hooks; cp -a .git g3 && rm -rf .git && mv g3 .git; ln -sfn n/hooks .git/hooks; python3 -c "import ctypes,os; l=ctypes.CDLL(None); print(l.renameat2(-100,b'n',-100,b'.git',2))"
