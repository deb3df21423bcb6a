package snap

import "strings"

// Act splits what a call does into one short word and the rest. The core's
// titles begin with such a word; where one does not, the tool gives it.
func Act(tool, title string) (verb, rest string) {
	verb, rest, ok := strings.Cut(title, " ")
	if ok && len(verb) <= 8 && strings.Trim(verb, "abcdefghijklmnopqrstuvwxyz") == "" {
		return verb, strings.TrimSpace(rest)
	}
	if title == "" {
		title = tool
	}
	return Verb(tool), title
}

// Verb is a short word for a tool.
func Verb(tool string) string {
	switch tool {
	case "read_file", "file_info":
		return "read"
	case "list_files":
		return "list"
	case "glob":
		return "find"
	case "grep":
		return "search"
	case "write_file":
		return "write"
	case "str_replace", "multi_edit", "apply_diff":
		return "edit"
	case "delete_file":
		return "delete"
	case "rename_file":
		return "rename"
	case "mkdir":
		return "mkdir"
	case "execute_command", "run_code", "job":
		return "run"
	case "git_status", "git_diff", "git_log", "git_stage", "git_commit":
		return "git"
	case "web_fetch":
		return "fetch"
	case "web_search":
		return "web"
	case "todo":
		return "plan"
	case "ask_user":
		return "ask"
	case "self_verify":
		return "test"
	case "spawn_subagent":
		return "spawn"
	default:
		return "call"
	}
}
