#!/bin/sh
# kind: escape
# holds: .git as file in a sub folder pointing at hostile
# post: out RAN
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p sub ev; git init -q ev 2>/dev/null; printf "#!/bin/sh\nid\n" > ev/.git/hooks/post-checkout; chmod +x ev/.git/hooks/post-checkout; echo "gitdir: ../ev/.git" > sub/.git; git -C ev config core.fsmonitor "touch /tmp/x"; git -C ev config core.pager id; echo "[core] fsmonitor = id" >> ev/.git/config; cat ev/.git/config
