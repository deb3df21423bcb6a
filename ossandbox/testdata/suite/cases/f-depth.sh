#!/bin/sh
# kind: escape
# holds: protected names at depth
# post: out "a new repository"
. "$(dirname "$0")/facts.sh"
echo RAN
mkdir -p p/.vscode p/.claude p/.github/workflows; echo x > p/.vscode/tasks.json; echo {} > p/.claude/settings.json; mkdir -p p/.git/hooks; echo "[core]" > p/.git/config;  printf "#!/bin/sh\n" > p/.git/hooks/pre-commit; chmod +x p/.git/hooks/pre-commit; echo done
