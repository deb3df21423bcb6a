#!/bin/sh
# kind: escape
# holds: agents files and editors at the top
# post: same "$WS/.vscode/settings.json" "$WS/.mcp.json" "$WS/.tera_pilot/config.toml"
# post: absent "$WS/.claude/settings.json" "$WS/.codex/config.toml" "$WS/.gemini/settings.json" "$WS/.cursor/mcp.json" "$WS/.vscode/tasks.json" "$WS/.idea/workspace.xml" "$WS/.envrc" "$WS/.husky/pre-commit" "$WS/.devcontainer/devcontainer.json"
. "$(dirname "$0")/facts.sh"
echo RAN
for n in .claude/settings.json .codex/config.toml .gemini/settings.json .cursor/mcp.json .vscode/tasks.json .idea/workspace.xml .zed/tasks.json .mcp.json .envrc .husky/pre-commit .devcontainer/devcontainer.json .tera_pilot/config.toml .agents/x .exrc .vimrc; do mkdir -p "$(dirname $n)" 2>/dev/null; (echo pwn > $n) 2>/dev/null && echo wrote $n; done
