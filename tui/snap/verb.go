package snap

// Verb is a short word for a tool.
func Verb(tool string) string {
	switch tool {
	case "read_file", "file_info":
		return "read"
	case "list_files", "glob":
		return "list"
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
